// Ways in which a secret could be said so that nobody finds it by its spelling.
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'

const codes = (secret: string, spell: (byte: number) => string): string[] => [...Buffer.from(secret)].map(spell)
const hex = (byte: number): string => byte.toString(16).padStart(2, '0')
const each = (secret: string, spell: (sign: string) => string): string => [...secret].map(spell).join('')
const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64')
const small = 'abcdefghijklmnopqrstuvwxyz'
const moved = (secret: string, by: number): string =>
  secret.replace(/[a-z]/gi, sign => {
    const at = small.indexOf(sign.toLowerCase())
    const to = small.charAt((at + by) % 26)
    return sign === sign.toLowerCase() ? to : to.toUpperCase()
  })

function bits(secret: string, alphabet: string, width: number): string {
  const all = codes(secret, byte => byte.toString(2).padStart(8, '0')).join('')
  const groups = all.match(new RegExp(`.{1,${width}}`, 'g')) ?? []
  return groups.map(group => alphabet[Number.parseInt(group.padEnd(width, '0'), 2)]).join('')
}

function base85(secret: string, alphabet: string): string {
  const bytes = Buffer.from(secret)
  let out = ''
  for (let i = 0; i < bytes.length; i += 4) {
    const group = Buffer.alloc(4)
    bytes.copy(group, 0, i)
    let value = group.readUInt32BE()
    let signs = ''
    for (let k = 0; k < 5; k++) {
      signs = alphabet[value % 85] + signs
      value = Math.floor(value / 85)
    }
    out += signs.slice(0, Math.min(4, bytes.length - i) + 1)
  }
  return out
}

function base(secret: string, alphabet: string): string {
  let value = BigInt(`0x${Buffer.from(secret).toString('hex')}`)
  let out = ''
  for (; value > 0n; value /= BigInt(alphabet.length)) out = alphabet[Number(value % BigInt(alphabet.length))] + out
  return out
}

function hexdump(secret: string): string {
  const lines: string[] = []
  for (let i = 0; i < secret.length; i += 16) {
    const part = secret.slice(i, i + 16)
    lines.push(`${i.toString(16).padStart(8, '0')}  ${codes(part, hex).join(' ').padEnd(48)} |${part}|`)
  }
  return lines.join('\n')
}

const morse: Record<string, string> = Object.fromEntries(
  '.- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..'
    .split(' ')
    .map((signs, at) => [small.charAt(at), signs]),
)
const spoken =
  'alfa bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa quebec'
    .concat(' romeo sierra tango uniform victor whiskey xray yankee zulu')
    .split(' ')
const cyrillic: Record<string, string> = { a: 'а', e: 'е', o: 'о', p: 'р', c: 'с', y: 'у', x: 'х' }
const letters = small.toUpperCase()
const ascii85 = Array.from({ length: 85 }, (_, at) => String.fromCharCode(33 + at)).join('')
const half = (secret: string): number => Math.ceil(secret.length / 2)
const thirds = (secret: string): string[] =>
  secret.match(new RegExp(`.{1,${Math.ceil(secret.length / 3)}}`, 'gs')) ?? []

/** As a part of a JSON answer. */
export const disguises: Record<string, (secret: string) => unknown> = {
  'a list of bytes': secret => [...Buffer.from(secret)],
  'bytes as a text': secret => codes(secret, String).join(', '),
  'bytes by name': secret => Object.fromEntries([...Buffer.from(secret)].map((byte, at) => [`b${at}`, byte])),
  'a dump of hex': hexdump,
  'hex with 0x': secret => codes(secret, byte => `0x${hex(byte)}`).join(' '),
  'hex with dots': secret => codes(secret, hex).join('.'),
  'hex with other signs': secret => codes(secret, hex).join(' | '),
  'hex in words of eight': secret => Buffer.from(secret).toString('hex').replace(/.{16}/g, '0x$& '),
  'hex backwards': secret => [...Buffer.from(secret).toString('hex')].reverse().join(''),
  'hex of base64': secret => Buffer.from(base64(secret)).toString('hex'),
  'base64 three times': secret => base64(base64(base64(secret))),
  'base64 backwards': secret => [...base64(secret)].reverse().join(''),
  'base64 of it backwards': secret => base64([...secret].reverse().join('')),
  'base64 in pieces': secret => base64(secret).replace(/.{9}/g, '$& - '),
  'base64 in fields': secret => ({ a: base64(secret).slice(0, 11), b: base64(secret).slice(11) }),
  'quoted lines': secret => secret.replace(/.{5}/gs, '$&\n> '),
  'tags inside': secret => secret.replace(/.{3}/gs, '$&<b>'),
  'long tags inside': secret => secret.replace(/.{4}/gs, '$&<span class="mark">'),
  'two fields': secret => ({ first: secret.slice(0, half(secret)), last: secret.slice(half(secret)) }),
  'three fields with others between': secret =>
    thirds(secret).flatMap((text, at) => [{ part: text }, { at, ok: true }]),
  'two fields the wrong way round': secret => ({ b: secret.slice(half(secret)), a: secret.slice(0, half(secret)) }),
  'two keys': secret => ({ [secret.slice(0, half(secret))]: 1, [secret.slice(half(secret))]: 2 }),
  'all but the last': secret => secret.slice(0, -1),
  'all but the first': secret => secret.slice(1),
  'the first half': secret => secret.slice(0, half(secret) + 2),
  'a list of letters': secret => [...secret],
  'letters by name': secret => Object.fromEntries([...secret].map((sign, at) => [`c${at}`, sign])),
  'letters with commas': secret => [...secret].join(', '),
  hyphens: secret => [...secret].join('-'),
  'dots and blanks': secret => [...secret].join(' . '),
  'zero-width signs': secret => [...secret].join('\u200b'),
  'soft hyphens': secret => [...secret].join('\u00ad'),
  'another letter after each': secret => each(secret, sign => `${sign}x`),
  'two other letters after each': secret => each(secret, sign => `${sign}qz`),
  'each twice': secret => each(secret, sign => sign + sign),
  reversed: secret => [...secret].reverse().join(''),
  'in pairs turned round': secret => secret.replace(/(.)(.)/gs, '$2$1'),
  'even ones, then odd ones': secret =>
    [...secret].filter((_, at) => at % 2 === 0).join('') + [...secret].filter((_, at) => at % 2 === 1).join(''),
  base32: secret => bits(secret, `${letters}234567`, 5),
  'base32 in small letters': secret => bits(secret, `${small}234567`, 5),
  'base32 of hex digits': secret => bits(secret, `0123456789${letters.slice(0, 22)}`, 5),
  'base32 of Crockford': secret => bits(secret, '0123456789ABCDEFGHJKMNPQRSTVWXYZ', 5),
  base85: secret => base85(secret, ascii85),
  'base85 of RFC 1924': secret => base85(secret, `0123456789${letters}${small}!#$%&()*+-;<=>?@^_\`{|}~`),
  z85: secret => base85(secret, `0123456789${small}${letters}.-:+=^!/*?&<>()[]{}@%$#`),
  base58: secret => base(secret, '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'),
  base62: secret => base(secret, `0123456789${letters}${small}`),
  base36: secret => base(secret, `0123456789${small}`),
  'one large number': secret => base(secret, '0123456789'),
  octal: secret => codes(secret, byte => byte.toString(8).padStart(3, '0')).join(' '),
  'octal without blanks': secret => codes(secret, byte => byte.toString(8).padStart(3, '0')).join(''),
  'decimal without blanks': secret => codes(secret, byte => String(byte).padStart(3, '0')).join(''),
  binary: secret => codes(secret, byte => byte.toString(2).padStart(8, '0')).join(' '),
  'binary without blanks': secret => codes(secret, byte => byte.toString(2).padStart(8, '0')).join(''),
  'binary of seven': secret => codes(secret, byte => byte.toString(2).padStart(7, '0')).join(' '),
  'gzip in base64': secret => base64(gzipSync(secret)),
  'zlib in hex': secret => deflateSync(secret).toString('hex'),
  'deflate in base64url': secret => deflateRawSync(secret).toString('base64url'),
  'brotli in base64': secret => base64(brotliCompressSync(secret)),
  'gzip in base32': secret => bits(gzipSync(secret).toString('latin1'), `${letters}234567`, 5),
  'gzip as bytes': secret => [...gzipSync(secret)],
  'full width': secret => each(secret, sign => (sign > ' ' ? String.fromCharCode(sign.charCodeAt(0) + 0xfee0) : sign)),
  'letters in circles': secret => secret.replace(/[a-z]/g, sign => String.fromCodePoint(0x24d0 + small.indexOf(sign))),
  'letters of mathematics': secret =>
    secret.replace(/[a-z]/g, sign => String.fromCodePoint(0x1d41a + small.indexOf(sign))),
  'letters of Russian': secret => each(secret, sign => cyrillic[sign] ?? sign),
  'digits for letters': secret => secret.replaceAll('e', '3').replaceAll('o', '0').replaceAll('a', '4'),
  rot13: secret => moved(secret, 13),
  'moved by five': secret => moved(secret, 5),
  rot47: secret => secret.replace(/[!-~]/g, sign => String.fromCharCode(33 + ((sign.charCodeAt(0) - 33 + 47) % 94))),
  'the other way round in the alphabet': secret =>
    secret.toLowerCase().replace(/[a-z]/g, sign => small.charAt(25 - small.indexOf(sign))),
  morse: secret => [...secret.toLowerCase()].map(sign => morse[sign] ?? '.....').join(' '),
  spoken: secret => [...secret.toLowerCase()].map(sign => spoken[small.indexOf(sign)] ?? sign).join(' '),
  'signs of Braille': secret => each(secret, sign => String.fromCodePoint(0x2800 + sign.charCodeAt(0))),
  emoji: secret => each(secret, sign => String.fromCodePoint(0x1f300 + sign.charCodeAt(0))),
  tags: secret => `ok${each(secret, sign => String.fromCodePoint(0xe0000 + sign.charCodeAt(0)))}`,
  'blanks and tabs': secret =>
    `ok${codes(secret, byte => byte.toString(2).padStart(8, '0'))
      .join('')
      .replaceAll('0', ' ')
      .replaceAll('1', '\t')}`,
  uuencode: secret =>
    bits(secret, Array.from({ length: 64 }, (_, at) => String.fromCharCode(at === 0 ? 96 : 32 + at)).join(''), 6),
  'names of letters': secret =>
    each(secret.toUpperCase(), sign => (/[A-Z]/.test(sign) ? `LATIN SMALL LETTER ${sign}, ` : `DIGIT ${sign}, `)),
  'places and letters': secret => [...secret].map((sign, at) => [at, sign]),
  'numbers of the alphabet': secret => [...secret.toLowerCase()].map(sign => small.indexOf(sign) + 1).join(' '),
  'a JSON in base64': secret => base64(JSON.stringify({ authorization: `Bearer ${secret}` })),
  'a data URL': secret => `data:;base64,${base64(secret)}`,
  'a path of a URL': secret => `https://files.example.com/in/${base64(base64(secret))}/x`,
  'UTF-16 in base64': secret => Buffer.from(secret, 'utf16le').toString('base64'),
  'punctuation of code points': secret =>
    each(secret, sign => `U+${sign.charCodeAt(0).toString(16).padStart(4, '0')} `),
}

/** Texts and numbers of an answer, one by one. */
function* leaves(value: unknown): Generator<string> {
  if (value === null || typeof value !== 'object') yield String(value)
  else
    for (const [key, inner] of Object.entries(value)) {
      if (!Array.isArray(value)) yield key
      yield* leaves(inner)
    }
}

/** Whether more than a bit of what was said is shown word by word. */
export function isKept(said: unknown, shown: string): boolean {
  const text = [...leaves(said)].join(' ')
  let longest = ''
  for (let at = 0; at < text.length; at++)
    while (at + longest.length < text.length && shown.includes(text.slice(at, at + longest.length + 1)))
      longest = text.slice(at, at + longest.length + 1)
  return longest.length >= 12 && longest.length * 3 >= text.length
}

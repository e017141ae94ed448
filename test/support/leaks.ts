// Secrets in every spelling that an echo could have, and everything a database holds, to look for them in.
import pg from 'pg'

const bytewise = (text: string, spell: (byte: number) => string) => [...Buffer.from(text)].map(spell).join('')
const hex = (byte: number) => byte.toString(16).padStart(2, '0')
const pointwise = (text: string, spell: (code: number) => string) =>
  [...text].map(sign => spell(sign.codePointAt(0) as number)).join('')
const charwise = (text: string, spell: (code: number) => string) =>
  Array.from({ length: text.length }, (_, at) => spell(text.charCodeAt(at))).join('')

/** One way to write a secret, by its name. */
export const spellers: Record<string, (secret: string) => string> = {
  plain: secret => secret,
  'percent signs': encodeURIComponent,
  'percent signs for all': secret => bytewise(secret, byte => `%${hex(byte)}`),
  'percent signs twice': secret => encodeURIComponent(encodeURIComponent(secret)),
  'a form': secret => new URLSearchParams([['', secret]]).toString().slice(1),
  base64: secret => Buffer.from(secret).toString('base64'),
  base64url: secret => Buffer.from(secret).toString('base64url'),
  'base64 behind one letter': secret => Buffer.from(`u${secret}`).toString('base64'),
  'base64 behind two letters': secret => Buffer.from(`u:${secret}`).toString('base64'),
  'base64 between others': secret => Buffer.from(`{"k":"${secret}","more":true}`).toString('base64url'),
  'base64 in lines': secret =>
    Buffer.from(secret)
      .toString('base64')
      .replace(/(.{8})/g, '$1\r\n'),
  'base64 of base64': secret => Buffer.from(Buffer.from(secret).toString('base64')).toString('base64'),
  'base64 in percent signs': secret => encodeURIComponent(Buffer.from(secret).toString('base64')),
  'base64 of UTF-16': secret => Buffer.from(secret, 'utf16le').toString('base64'),
  hex: secret => Buffer.from(secret).toString('hex'),
  'HEX with colons': secret => bytewise(secret, byte => `:${hex(byte).toUpperCase()}`).slice(1),
  JSON: secret => JSON.stringify(secret).slice(1, -1),
  'JSON in JSON': secret => JSON.stringify(JSON.stringify({ secret })),
  'backslashes and u': secret => charwise(secret, code => `\\u${code.toString(16).padStart(4, '0')}`),
  'backslashes and x': secret => bytewise(secret, byte => `\\x${hex(byte)}`),
  'HTML by numbers': secret => pointwise(secret, code => `&#${code};`),
  'HTML by hex numbers': secret => pointwise(secret, code => `&#x${code.toString(16)};`),
  'HTML by names': secret =>
    secret.replace(/[&<>"]/g, sign => `&${{ '&': 'amp', '<': 'lt', '>': 'gt' }[sign] ?? 'quot'};`),
  'quoted-printable': secret =>
    bytewise(secret, byte => (/[\w-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `=${hex(byte)}`)),
  'capital letters': secret => secret.toUpperCase(),
}

/** What stays of an encoded secret when its edges are mixed with something else. */
const core = (text: string): string => text.slice(4, -4)

/** What must be found nowhere: the secret in every spelling, or what is sure to be part of it. */
export function traces(secret: string): [spelling: string, text: string][] {
  return Object.entries(spellers).map(([name, spell]) => {
    const text = spell(secret)
    return [name, /base64/.test(name) ? core(text.replace(/=+$/, '')) : text]
  })
}

/** Everything a database holds, as a dump would show it. */
export async function dump(databaseUrl: string): Promise<string> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    const tables = await client.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_schema in ('public', 'pgboss') and table_type = 'BASE TABLE'`,
    )
    const texts: string[] = []
    for (const { name } of tables.rows)
      texts.push(JSON.stringify((await client.query(`select t::text as row from ${name} t`)).rows))
    return texts.join('\n')
  } finally {
    await client.end()
  }
}

/** Where a trace was found. */
export function around(text: string, trace: string): string {
  const found = text.indexOf(trace)
  return text.slice(Math.max(0, found - 200), found + 100)
}

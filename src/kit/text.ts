// Rules for text that comes from outside: what PostgreSQL takes (neither NUL nor lone surrogates), how it is escaped, where it is cut off, which names are one.

export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** For the text and the attributes of HTML, and for Pango's markup. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, sign => `&#${sign.charCodeAt(0)};`)

/** Percent-encoded by RFC 3986: nothing but letters, digits and `-._~` stays as it is. Half a surrogate pair becomes U+FFFD. */
export const strictlyEncoded = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** Without the character at its end, however often it stands there. A pattern such as `/+$` would be tried at every character. */
export function withoutEnd(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}

const MOST_TOLD = 50

/** The first of many sentences, and how many more there are: what somebody sends must not come back many times as long. */
export const someOf = (sentences: readonly string[]): string[] =>
  sentences.length <= MOST_TOLD
    ? [...sentences]
    : [...sentences.slice(0, MOST_TOLD), `And ${sentences.length - MOST_TOLD} more of this kind.`]

/** The path of the first string in a JSON value that PostgreSQL would refuse, or null. */
export function unstorableAt(value: unknown, path = ''): string | null {
  if (typeof value === 'string') return isStorable(value) ? null : path
  if (value === null || typeof value !== 'object') return null
  for (const [key, inner] of Object.entries(value)) {
    const here = path === '' ? key : `${path}.${key}`
    if (!isStorable(key)) return path === '' ? '(a key)' : path
    const found = unstorableAt(inner, here)
    if (found !== null) return found
  }
  return null
}

/** So many characters of an error are kept. */
const MESSAGE_LENGTH = 1_000

/** A sentence about an error, as long as it may be shown and posted. */
export const shortened = (message: string): string =>
  message.length > MESSAGE_LENGTH ? `${message.slice(0, MESSAGE_LENGTH - 1).toWellFormed()}…` : message

/** NFC: a letter with its mark is one code point. File names of macOS come in the other form. */
export const nameForm = (name: string): string => name.normalize('NFC')

/** The forms in which a name may be kept since before, its very bytes first. */
export const nameForms = (name: string): string[] => [...new Set([name, name.normalize('NFC'), name.normalize('NFD')])]

/** That of these names which is meant. Two that only look the same are from before, and each is meant by its very bytes. */
export function meant(names: Iterable<string>, wanted: string): string | undefined {
  const known = new Set(names)
  return nameForms(wanted).find(form => known.has(form))
}

// Rules for text that comes from outside and goes into PostgreSQL, which takes neither NUL nor lone surrogates.

export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

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

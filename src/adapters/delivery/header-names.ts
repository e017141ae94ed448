// The rules for names of headers that an option brings.
import { badOption } from '#kit/errors.ts'

/** RFC 9110: what the name of a header may be made of. */
export const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/

/** Names of headers are the same in upper and lower case, and each is sent once. */
export function checkNames(option: string, headers: Record<string, string>): void {
  const names = Object.keys(headers).map(name => name.toLowerCase())
  if (new Set(names).size < names.length)
    throw badOption(option, 'holds a name twice: upper and lower case are one name')
}

/** What a placeholder stands for may hold anything. */
export function checkHeaderValue(name: string, value: string): void {
  if (!/^[\t -~\u0080-\u00ff]*$/.test(value))
    throw badOption(`headers.${name}`, 'holds characters that headers cannot carry')
}

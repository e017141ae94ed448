// What a reader or a camera has read: a value to look up, or the link of a guest, which is a secret and never looked up.

export type Scan = { kind: 'text'; text: string } | { kind: 'link'; url: string } | { kind: 'garbled' }

/** 128 random bits in base64url: the last character has only two of its six bits. With Caps Lock the others of these letters. */
const CODE = /^[\w-]{21}[AQgwaqGW]$/
const LINK = /\/k\/[\w-]/i
const HOST_AND_LINK = /^[\w.:-]*\/k\/[\w-]/i

export function readScan(typed: string, origin: string): Scan {
  const text = typed.trim()
  const hasScheme = /^https?:\/\//i.test(text)
  if (hasScheme ? LINK.test(text) : HOST_AND_LINK.test(text)) {
    const url = hasScheme ? text : text.startsWith('/') ? origin + text : `https://${text}`
    // With Caps Lock the code is another one.
    return text.includes('/k/') && URL.canParse(url) ? { kind: 'link', url } : { kind: 'garbled' }
  }
  // A reader that is set to another keyboard types "https:--" or "httpsÖ&&"; a code may stand in the rest.
  if (!hasScheme && /^https?[^\w\s@.]/i.test(text)) return { kind: 'garbled' }
  if (CODE.test(text)) return { kind: 'link', url: `${origin}/k/${text}` }
  return { kind: 'text', text }
}

// Entity tags and conditional requests (RFC 9110, section 13): 304 for a reader who is up to date, 412 for a writer who is not.
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type TSchema } from 'typebox'
import { Problem } from '#kit/errors.ts'
import type { Expect } from '#kit/expect.ts'
import { answer, emptyAnswer, etagHeader } from '../contract/answers.ts'

/** For the schema of a route that reads a tagged resource. */
export const readHeaders = Type.Object({
  'If-None-Match': Type.Optional(
    Type.String({ description: 'The ETag of what the client has: the answer is 304 while that is current.' }),
  ),
})

/** For the schema of a route that changes a tagged resource. */
export const writeHeaders = Type.Object({
  'If-Match': Type.Optional(
    Type.String({
      description: 'The ETag of what the client read, or several: 412 `changed_meanwhile` if none is current any more.',
    }),
  ),
  'If-None-Match': Type.Optional(
    Type.String({ description: '`*`: 412 `changed_meanwhile` if it is there already, so that nothing is replaced.' }),
  ),
})

/** For the reference: an answer that carries the tag of the resource. */
export const Tagged = <T extends TSchema>(description: string, resource: T, headers: Record<string, TSchema> = {}) =>
  answer(description, resource, { ...etagHeader('Marks this state of the resource; strong.'), ...headers })

/** The answers of a route that reads a tagged resource. */
export const readAnswers = <T extends TSchema>(description: string, resource: T) => ({
  200: Tagged(description, resource),
  304: emptyAnswer('The client has it already.', etagHeader('That of the client.')),
})

interface Tag {
  /** With its quotes. */
  opaque: string
  isWeak: boolean
}

/** A tag, space, or the comma between tags, which may also stand inside one. */
const TOKEN = /(W\/)?("[!#-~\x80-\xff]*")|[ \t]+|(,)/y

/** The tags of a header; `*` stands for any; none at all if the header is not well-formed, so it fits nothing. */
function tagsIn(header: string): Tag[] | '*' {
  if (header.trim() === '*') return '*'
  const tags: Tag[] = []
  let mayFollow = true
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < header.length) {
    const token = TOKEN.exec(header)
    if (!token) return []
    const [, weak, opaque, comma] = token
    if (comma !== undefined) mayFollow = true
    if (opaque === undefined) continue
    if (!mayFollow) return []
    mayFollow = false
    tags.push({ opaque, isWeak: weak !== undefined })
  }
  return tags
}

/** A weak tag fits no writer: what it stands for may differ in bytes. */
const fitsStrongly = (header: string, current: readonly string[]): boolean => {
  const tags = tagsIn(header)
  return tags === '*' || tags.some(({ opaque, isWeak }) => !isWeak && current.includes(opaque))
}

const fitsWeakly = (header: string, current: readonly string[]): boolean => {
  const tags = tagsIn(header)
  return tags === '*' || tags.some(({ opaque }) => current.includes(opaque))
}

/** The tag of one state of a resource. `view` tells what this caller is shown of it, where others are shown something else. */
export const tagOf = (revision: string, view = ''): string => `"${revision}${view}"`

/**
 * Checks `If-Match` and `If-None-Match` of a request that writes. `tagsOf` gives the tags of all views of the current state: who read
 * it with another token has read the same state.
 */
export function expecting<T>({ headers }: FastifyRequest, tagsOf: (current: T) => readonly string[]): Expect<T> {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers
  return current => {
    if (match !== undefined && (current === null || !fitsStrongly(match, tagsOf(current))))
      throw new Problem(
        'changed_meanwhile',
        current === null
          ? 'If-Match names a state, but there is none: it was deleted, or never made.'
          : 'If-Match does not name the current state. Read it again, look at what changed, and send the new ETag, in its double quotes.',
      )
    if (noneMatch !== undefined && current !== null && fitsWeakly(noneMatch, tagsOf(current)))
      throw new Problem('changed_meanwhile', 'If-None-Match asks that it is not there, but it is.')
  }
}

/** Whether the client has this state already, by its `If-None-Match`. */
export function hasSameTag({ headers }: FastifyRequest, tag: string): boolean {
  const known = headers['if-none-match']
  return known !== undefined && fitsWeakly(known, [tag])
}

/** Answers a GET: 304 if the client has this state already. */
export function sendTagged(reply: FastifyReply, tag: string, body: () => unknown): FastifyReply {
  reply.header('etag', tag)
  if (hasSameTag(reply.request, tag)) return reply.code(304).send()
  return reply.send(body())
}

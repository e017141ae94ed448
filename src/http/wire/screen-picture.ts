// Sends a smaller picture of what a task made, for screens.
import type { FastifyReply } from 'fastify'
import Type from 'typebox'
import type { StoredFile } from '#db/tables.ts'
import { isProblem, Problem } from '#kit/errors.ts'
import { type Side, sides } from '#tasks/try/rendition.ts'
import { hungUp } from '../route/client-work.ts'
import type { Context } from '../route/route.ts'
import { hasSameTag } from './preconditions.ts'

/** In the query of a file. */
export const size = Type.Optional(
  Type.Enum(sides.map(String), {
    description: 'A JPEG for a screen, at most so many pixels a side; of a video a frame.',
  }),
)

export const sideOf = (query: { size?: string }): Side | undefined => sides.find(side => String(side) === query.size)

interface Source {
  task_id: string
  file: StoredFile
}

interface ScreenPicture {
  source: Source
  side: Side
  /** Whose turn it takes while the picture is made. */
  experience_id: string
  /** How long a browser may keep it. */
  cache: string
}

const AGAIN_SECONDS = 5

/** Of a file that has none: not found. All else is trouble of ours, so the asker shall come again. */
export function noPicture(error: unknown): Problem {
  if (isProblem(error)) {
    if (error.code === 'gone' || error.retryAfterSeconds !== undefined) return error
    if (error.fault === 'input')
      return new Problem('not_found', 'No picture can be made of this file.', { cause: error })
  }
  return new Problem('unavailable', 'No picture can be made just now.', {
    cause: error,
    retryAfterSeconds: AGAIN_SECONDS,
  })
}

export async function sendScreenPicture(
  reply: FastifyReply,
  { renditions, works }: Context,
  { source, side, experience_id, cache }: ScreenPicture,
): Promise<FastifyReply> {
  const etag = `"${source.file.sha256}-${side}"`
  reply.headers({ etag, 'cache-control': cache })
  if (hasSameTag(reply.request, etag)) return reply.code(304).send()
  const place = (signal: AbortSignal) => works.probes.take(experience_id, signal)
  const { mime, bytes } = await renditions.of(source, side, place, hungUp(reply)).catch(error => {
    // What failed must not be kept.
    reply.removeHeader('etag').header('cache-control', 'private, no-cache')
    throw noPicture(error)
  })
  return reply.header('content-type', mime).send(bytes)
}

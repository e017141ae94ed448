// Sends a smaller picture of what a task made, for screens.
import type { FastifyReply } from 'fastify'
import Type from 'typebox'
import type { StoredFile } from '#db/tables.ts'
import { Problem } from '#kit/errors.ts'
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
  who: string
  /** How long a browser may keep it. */
  cache: string
}

export async function sendScreenPicture(
  reply: FastifyReply,
  { renditions, works }: Context,
  { source, side, who, cache }: ScreenPicture,
): Promise<FastifyReply> {
  const etag = `"${source.file.sha256}-${side}"`
  reply.headers({ etag, 'cache-control': cache })
  if (hasSameTag(reply.request, etag)) return reply.code(304).send()
  const place = (signal: AbortSignal) => works.probes.take(who, signal)
  const { mime, bytes } = await renditions.of(source, side, place, hungUp(reply)).catch(error => {
    // What failed must not be kept.
    reply.removeHeader('etag').header('cache-control', 'private, no-cache')
    throw error instanceof Problem && (error.fault !== 'input' || error.code === 'gone')
      ? error
      : new Problem('not_found', 'No picture can be made of this file.', { cause: error })
  })
  return reply.header('content-type', mime).send(bytes)
}

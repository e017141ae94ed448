// Sends the logo of a page or a wall: as it is where browsers show it, else as a picture that they do.
import type { FastifyReply } from 'fastify'
import type { StoredFile } from '#db/tables.ts'
import { Problem } from '#kit/errors.ts'
import { hungUp } from '../route/client-work.ts'
import type { Context } from '../route/route.ts'
import { hasSameTag } from './preconditions.ts'
import { noPicture } from './screen-picture.ts'
import { sendBlob } from './send-file.ts'

/** Kinds of pictures that every browser shows. */
export const SHOWN: readonly string[] = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif']

export async function sendLogo(
  reply: FastifyReply,
  { blobs, logos, works }: Context,
  logo: StoredFile | undefined,
  experienceId: string,
): Promise<FastifyReply> {
  if (!logo) throw new Problem('not_found', 'There is no logo here.')
  if (SHOWN.includes(logo.mime) || logo.mime === 'image/svg+xml') return sendBlob(reply, blobs, logo)
  const etag = `"${logo.sha256}-logo"`
  if (hasSameTag(reply.request, etag)) return reply.code(304).header('etag', etag).send()
  const gone = hungUp(reply)
  const { mime, bytes } = await logos
    .of(logo, () => works.probes.take(experienceId, gone), gone)
    .catch(error => {
      throw noPicture(error)
    })
  return reply.headers({ etag, 'content-type': mime }).send(bytes)
}

// Sends the output file of an entry.
import type { FastifyReply } from 'fastify'
import Type from 'typebox'
import type { StoredFile } from '#db/tables.ts'
import type { WholeTask } from '#db/tasks/task-rows.ts'
import { Problem } from '#kit/errors.ts'
import { isThrough } from '#tasks/entry/loaded.ts'
import { Input, Text } from '../contract/shapes.ts'
import { hungUp } from '../route/client-work.ts'
import type { Context } from '../route/route.ts'
import { sendBlob, sendFile } from '../wire/send-file.ts'

/** A retry may bring another file to the same URL. */
export const v = Type.Optional(Text('Anything: keeps a browser from showing what it kept before.', 64))

export const OutputQuery = Input({
  v,
  download: Type.Optional(
    Type.String({ description: 'Saved under a name instead of shown; the value does not matter.', maxLength: 16 }),
  ),
})

export const groupIndex = Type.Integer({ minimum: 0, description: 'The index of the configuration in the group.' })
export const entryIndex = Type.Integer({ minimum: 0, description: 'The index of the entry in its chain.' })

/** Without an entry the chain's last one is sent. */
export async function sendOutput(
  context: Context,
  reply: FastifyReply,
  task: WholeTask,
  chainIndex: number,
  index?: number,
): Promise<FastifyReply> {
  const chain = task.chains[chainIndex]
  const entry = index === undefined ? chain?.entries.at(-1) : chain?.entries[index]
  if (!chain || !entry) throw new Problem('not_found', 'There is no such entry.')
  if (!isThrough(entry))
    throw new Problem('not_found', `Entry ${entry.index} is ${entry.status} and has handed on no file.`)
  if (task.files_deleted_at) throw new Problem('gone', 'The files of this task are past their retention.')
  const { output } = entry
  const download = `${entry.configuration}${output?.ext ?? ''}`
  if (output?.blob) return sendBlob(reply, context.blobs, { ...(output as StoredFile), ...wanted(reply, download) })
  // The entry melted into the next one and has no stored file: it is rendered again.
  const { works, melted } = context
  const place = (signal: AbortSignal) => works.previews.take(task.experience_id, signal)
  const made = await melted.of({ task, chain: chain.index, index: entry.index, place }, hungUp(reply))
  return sendFile(reply, { ...made, ...wanted(reply, download) }, made.read)
}

/** `?download` makes the browser save the file under this name. */
const wanted = (reply: FastifyReply, name: string): { download?: string } =>
  'download' in (reply.request.query as object) ? { download: name } : {}

// The API of the other services: takes a photo, keeps it on disk, puts it into the queue, answers 202. A process of its own.
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import fastify, { type FastifyPluginAsync } from 'fastify'
import { bullmq } from './bullmq.ts'
import { shelf } from './disk.ts'
import { graphile } from './graphile.ts'
import { options, type Steps } from './job.ts'
import { load } from './packages.ts'

interface Upload {
  file: Readable & { truncated: boolean }
  fields: Record<string, { value?: string } | undefined>
}

const { queue, url, folder, port } = options()
const add = await { bullmq, graphile }[queue].producer(url)
const uploads = shelf(join(folder, 'uploads'))

const app = fastify()
app.register(load<FastifyPluginAsync<{ limits: object }>>('@fastify/multipart'), {
  limits: { files: 1, fileSize: 64 * 1024 ** 2 },
})

app.post('/task', async (request, reply) => {
  const key = request.headers['idempotency-key']
  const id = typeof key === 'string' && /^[\w-]{1,64}$/.test(key) ? key : randomUUID()
  const upload = await (request as unknown as { file(): Promise<Upload | undefined> }).file()
  if (!upload) return reply.code(400).send({ error: 'no file' })
  const path = await uploads.keep(id, aside => pipeline(upload.file, createWriteStream(aside, { flush: true })))
  if (upload.file.truncated) return reply.code(413).send({ error: 'too large' })
  const steps: Steps = upload.fields.steps?.value === 'chain' ? 'chain' : 'flip'
  try {
    await add({ id, tenant: upload.fields.tenant?.value ?? '', steps, path })
  } catch (error) {
    console.error((error as Error).message)
    return reply.code(503).header('retry-after', '1').send({ error: 'try again' })
  }
  return reply.code(202).send({ task_id: id })
})

await app.listen({ port, host: '127.0.0.1' })
console.log('ready')

// A server that does nothing but send files: what the pages of guests are held against. Files lie in the folder that it is given.
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import Fastify from 'fastify'

const [folder = '.'] = process.argv.slice(2)
const app = Fastify({ logger: false })
app.get('/:name', async (request, reply) => {
  const path = join(folder, basename((request.params as { name: string }).name))
  const { size } = await stat(path)
  return reply.header('content-length', size).type('application/octet-stream').send(createReadStream(path))
})
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))

// Measures how much a process grows while it delivers one large file. Run as a script it is that process.
import { fork } from 'node:child_process'
import type { DestinationAdapter } from '#engine/adapter.ts'
import type { JsonObject } from '#kit/json.ts'
import type { MediaFile } from '#media/file/file.ts'
import { stepFor } from './delivery.ts'
import { event, soon } from './until.ts'

export interface Job {
  /** Its name; without a `module` the one of its file in `src/adapters/destinations/`, which exports it in camel case. */
  adapter: string
  /** The URL of a module that exports it by default, alone or in a list. */
  module?: string
  options: JsonObject
  auth: JsonObject
  marker: string
  file: MediaFile
  /** File of a certificate authority that the process trusts. */
  authority?: string
  /** What the adapter is made with, where it is made. */
  made?: string
  /** Delivered first, so that loading modules and the first buffers don't count; left out, they do. */
  warmUp?: MediaFile
}

/** A file of gigabytes. */
const DELIVERY_MS = 30 * 60_000

/** Bytes that the resident size of a fresh process rises while it delivers the file. */
export async function growthOf(job: Job): Promise<number> {
  // As the supervisor starts our processes.
  const execArgv = ['--max-semi-space-size=4']
  const child = fork(import.meta.filename, {
    execArgv,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    ...(job.authority && { env: { ...process.env, NODE_EXTRA_CA_CERTS: job.authority } }),
  })
  child.send(job)
  const told = new Promise<unknown>(resolve => child.once('message', resolve).once('exit', resolve))
  const grown = await soon('the file is delivered', told, DELIVERY_MS).finally(() => child.kill('SIGKILL'))
  if (typeof grown !== 'object' || grown === null) throw new Error('the measured process ended early')
  return (grown as { bytes: number }).bytes
}

async function adapterOf({ adapter: name, module: url, made }: Job): Promise<DestinationAdapter> {
  if (url !== undefined) {
    const { default: all } = (await import(url)) as { default: DestinationAdapter | DestinationAdapter[] }
    return [all].flat().find(adapter => adapter.name === name) as DestinationAdapter
  }
  const exported = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  const module = (await import(`#adapters/destinations/${name}.ts`)) as Record<string, unknown>
  const found = module[exported]
  return (typeof found === 'function' ? found(made) : found) as DestinationAdapter
}

async function measure(job: Job): Promise<number> {
  const { options, auth, marker, file, warmUp } = job
  const adapter = await adapterOf(job)
  const owners = new Map<string, string>()
  const deliver = (input: MediaFile) => adapter.deliver(input, stepFor(adapter, { options, auth, marker, owners }))
  if (warmUp) await deliver(warmUp)
  const before = process.memoryUsage.rss()
  let peak = before
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 10)
  await deliver(file)
  clearInterval(sampling)
  return Math.max(peak, process.memoryUsage.rss()) - before
}

if (import.meta.main) {
  const [job] = (await event('there is a job', process, 'message')) as [Job]
  process.send?.({ bytes: await measure(job) })
}

// Azurite, Microsoft's own emulator of Azure Blob Storage, as a process on a free port.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { soon, WAIT_MS } from './until.ts'

export interface Azurite {
  /** Of one account: `http://127.0.0.1:PORT/ACCOUNT`. */
  serviceUrl: string
  port: number
  accountName: string
  accountKey: string
  stop(): Promise<void>
}

/** `onDisk`: for files that are too large to be kept in memory. */
export async function startAzurite({ onDisk = false } = {}): Promise<Azurite> {
  const accountName = 'keepsake'
  const accountKey = randomBytes(64).toString('base64')
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-azurite-'))
  const script = join(createRequire(import.meta.url).resolve('azurite/package.json'), '../dist/src/blob/main.js')
  const flags = [
    '--blobHost',
    '127.0.0.1',
    '--blobPort',
    '0',
    ...(onDisk ? ['--location', folder] : ['--inMemoryPersistence']),
    '--skipApiVersionCheck',
    '--disableTelemetry',
    '--silent',
  ]
  const server = spawn(process.execPath, [script, ...flags], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      AZURITE_ACCOUNTS: `${accountName}:${accountKey}`,
    },
  })
  const ended = new Promise(resolve => server.once('exit', resolve))
  const stop = async () => {
    server.kill('SIGKILL')
    await soon('Azurite has ended', ended)
    await rm(folder, { recursive: true, force: true })
  }
  const timer = setTimeout(stop, WAIT_MS)
  for await (const line of createInterface({ input: server.stdout })) {
    const port = Number(/listens on http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1])
    if (!port) continue
    clearTimeout(timer)
    server.stdout.resume()
    return { serviceUrl: `http://127.0.0.1:${port}/${accountName}`, port, accountName, accountKey, stop }
  }
  throw new Error('Azurite did not start')
}

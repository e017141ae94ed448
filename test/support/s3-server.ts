// A real S3 server for tests (OpenStack Swift with its s3api, from Debian's python3-swift), on a free port of loopback.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { event, soon, WAIT_MS } from './until.ts'

export interface S3Server {
  endpoint: string
  region: string
  accessKey: string
  secretKey: string
  /** A second user, who is refused what the first one keeps private. */
  other: { accessKey: string; secretKey: string }
  /** A bucket whose name begins with `no-acl` refuses ACLs, as new buckets at Amazon do. */
  createBucket(name: string): Promise<void>
  stop(): Promise<void>
}

// Debian's own Python: its packages are not seen by any other.
const PYTHON = '/usr/bin/python3'
/** What the server ends with where Swift is not there. */
const NOT_INSTALLED = 69

/** Null, with a printed line, where python3-swift is not installed. */
export async function startS3(): Promise<S3Server | null> {
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-s3-'))
  const users = { owner: newSecret(), other: newSecret(), nobody: newSecret() }
  const region = 'us-east-1'
  const server = spawn(PYTHON, ['-W', 'ignore', join(import.meta.dirname, 's3-server.py'), folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  // An error is that there is no Python.
  const ended = new Promise<unknown>(resolve =>
    server.once('exit', resolve).once('error', () => resolve(NOT_INSTALLED)),
  )
  server.stdin.on('error', () => {})
  server.stdin.write(`${JSON.stringify({ region, users })}\n`)

  const stop = async (): Promise<void> => {
    server.stdin.destroy()
    server.kill('SIGKILL')
    await soon('the S3 server has ended', ended)
    await rm(folder, { recursive: true, force: true })
  }

  try {
    const port = await portOf(server.stdout, ended)
    if (port === null) {
      console.log('No S3 server for tests: python3-swift is not installed (apt-get install python3-swift).')
      await stop()
      return null
    }
    const endpoint = `http://127.0.0.1:${port}`
    const client = new S3Client({
      endpoint,
      region,
      forcePathStyle: true,
      credentials: { accessKeyId: 'test:owner', secretAccessKey: users.owner },
    })
    return {
      endpoint,
      region,
      accessKey: 'test:owner',
      secretKey: users.owner,
      other: { accessKey: 'test:other', secretKey: users.other },
      async createBucket(name) {
        await client.send(new CreateBucketCommand({ Bucket: name }))
      },
      async stop() {
        client.destroy()
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const newSecret = (): string => randomBytes(16).toString('hex')

/** Null where it is not installed. */
async function portOf(output: NodeJS.ReadableStream, ended: Promise<unknown>): Promise<number | null> {
  const firstLine = event('the S3 server answers', createInterface(output), 'line', WAIT_MS)
  firstLine.catch(() => {})
  const line = await Promise.race([firstLine, ended])
  if (line === NOT_INSTALLED) return null
  if (!Array.isArray(line)) throw new Error('the S3 server ended before it answered')
  return (JSON.parse(String(line[0])) as { port: number }).port
}

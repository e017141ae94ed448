// An SFTP session over a guarded connection: its host key, its calls as promises, its errors in words.
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { posix } from 'node:path'
import type { AnyAuthMethod, ServerHostKeyAlgorithm } from 'ssh2'
import type Client from 'ssh2-sftp-client'
import { isProblem, type Problem } from '#kit/errors.ts'
import type { Outbound } from '#kit/net/outbound.ts'
import { withoutEnd } from '#kit/text.ts'
import { refused, unreachable } from './failure.ts'

export interface Login {
  host: string
  port: number
  username: string
  password: string | undefined
  privateKey: string | undefined
  passphrase: string | undefined
  /** `SHA256:…`, a line of known_hosts or the bare key; any is taken when it is left out. */
  hostKey: string | undefined
}

type Sftp = Awaited<ReturnType<Client['connect']>>
type Done<T> = (error: Error | null | undefined, value: T) => void

interface Sent {
  path: string
  bytes: number
  /** Where to go on in what is there already; 0 begins anew. */
  from: number
}

export interface Session {
  /** `SHA256:…` of the host's key. */
  fingerprint: string
  /** Makes the folder and those above it where they are missing. */
  makeFolder(folder: string): Promise<void>
  /** Sends a file; its bytes go out in many writes at a time, since each has to be confirmed. */
  send(file: Sent, to: string, sent: (bytes: number) => void, signal: AbortSignal): Promise<void>
  write(content: Buffer, to: string): Promise<void>
  read(path: string): Promise<Buffer>
  /** Puts it in the place of whatever was there. */
  rename(from: string, to: string): Promise<void>
  /** True also when it was not there. */
  remove(path: string): Promise<void>
  sizeOf(path: string): Promise<number | null>
}

const writesAtOnce = 16
const writeBytes = 32 * 1024
/** No write is this far ahead of one that is not confirmed. */
const windowBytes = 2 * writesAtOnce * writeBytes
const noSuchFile = 2
const silenceMs = 60_000

/** Runs `work` in a session of its own and ends it afterwards, whatever happened. */
export async function inSession<T>(
  login: Login,
  outbound: Outbound,
  signal: AbortSignal,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  // Most processes never need it. It is loaded before there is a connection, whose end would not be heard meanwhile.
  const { default: SftpClient } = await import('ssh2-sftp-client')
  const socket = await outbound.connect(login.host, login.port, { signal })
  const client = new SftpClient('keepsake', { error() {}, end() {}, close() {} })
  const seen = { fingerprint: '' }
  // A call that waits for an answer must not wait for ever, nor hold its file open.
  const calls: Calls = { waiting: new Set(), gone: null }
  const closed = new Promise<never>((_resolve, reject) => calls.waiting.add(reject))
  closed.catch(() => {})
  socket.once('close', () => {
    calls.gone = unreachable(`The connection to ${login.host} was closed`)
    for (const reject of calls.waiting) reject(calls.gone)
  })
  socket.setTimeout(silenceMs, () => socket.destroy())
  // Time to take away what is half there.
  const stop = () => void setTimeout(() => socket.destroy(), 5000).unref()
  signal.addEventListener('abort', stop, { once: true })
  try {
    const sftp = await Promise.race([signIn(client, socket, login, seen), closed, ...aborted(signal)])
    return await Promise.race([work(sessionOn(sftp, seen.fingerprint, calls)), closed])
  } catch (error) {
    signal.throwIfAborted()
    throw sftpProblem(error, login, seen.fingerprint)
  } finally {
    signal.removeEventListener('abort', stop)
    socket.destroy()
  }
}

const aborted = (signal: AbortSignal): Promise<never>[] => [
  new Promise<never>((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  ),
]

function signIn(client: Client, socket: Socket, login: Login, seen: { fingerprint: string }): Promise<Sftp> {
  const { username, password, privateKey, passphrase, hostKey } = login
  return client.connect({
    sock: socket,
    username,
    ...(privateKey === undefined ? { authHandler: byPassword(username, password ?? '') } : { privateKey }),
    ...(passphrase !== undefined && { passphrase }),
    ...algorithmsFor(hostKey),
    readyTimeout: 20_000,
    hostVerifier: (key: Buffer) => {
      seen.fingerprint = `SHA256:${withoutEnd(createHash('sha256').update(key).digest('base64'), '=')}`
      return hostKey === undefined || isSameKey(hostKey, key, seen.fingerprint)
    },
  })
}

/** Many servers take passwords only as the answer to a question. */
const byPassword = (username: string, password: string): AnyAuthMethod[] => [
  { type: 'password', username, password },
  {
    type: 'keyboard-interactive',
    username,
    prompt: (_name, _instructions, _language, prompts, finish) => finish(prompts.map(() => password)),
  },
]

/** A server shows one of its keys, so it is asked for the kind that is known. */
function algorithmsFor(hostKey: string | undefined): { algorithms?: { serverHostKey: ServerHostKeyAlgorithm[] } } {
  const kind = /\b(ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp\d+)\b/.exec(hostKey ?? '')?.[1]
  if (kind === undefined) return {}
  const names = kind === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'] : [kind]
  return { algorithms: { serverHostKey: names as ServerHostKeyAlgorithm[] } }
}

const isSameKey = (given: string, key: Buffer, fingerprint: string): boolean =>
  withoutEnd(given.trim(), '=') === fingerprint ||
  given.split(/\s+/).some(word => word.length > 40 && word === key.toString('base64'))

interface Calls {
  waiting: Set<(error: Problem) => void>
  /** Why no call is answered any more. */
  gone: Problem | null
}

function sessionOn(sftp: Sftp, fingerprint: string, calls: Calls): Session {
  const { waiting } = calls
  const call = <T = unknown>(start: (done: Done<T>) => void): Promise<T> =>
    new Promise((resolve, reject) => {
      if (calls.gone) return reject(calls.gone)
      waiting.add(reject)
      start((error, value) => {
        waiting.delete(reject)
        if (error) reject(error)
        else resolve(value)
      })
    })
  const sizeOf = async (path: string): Promise<number | null> => {
    try {
      return (await call<{ size: number }>(done => sftp.stat(path, done))).size
    } catch (error) {
      if (codeOf(error) === noSuchFile) return null
      throw error
    }
  }
  const remove = async (path: string): Promise<void> => {
    try {
      await call(done => sftp.unlink(path, error => done(error, undefined)))
    } catch (error) {
      if (codeOf(error) !== noSuchFile) throw error
    }
  }
  /** From the inside out: a user who is kept in a corner may not look at the folders above. */
  const makeFolder = async (folder: string): Promise<void> => {
    if (folder === '.' || folder === '/' || (await sizeOf(folder)) !== null) return
    await makeFolder(posix.dirname(folder))
    // Another worker may have made it meanwhile.
    await call(done => sftp.mkdir(folder, error => done(error, undefined))).catch(async error => {
      if ((await sizeOf(folder)) === null) throw error
    })
  }
  return {
    fingerprint,
    sizeOf,
    remove,
    makeFolder,
    async send({ path, bytes, from }, to, sent, signal) {
      await using file = await open(path)
      const handle = await call<Buffer>(done => sftp.open(to, from === 0 ? 'w' : 'r+', done))
      const unconfirmed = new Set<number>()
      let next = from
      let confirmed = Promise.withResolvers<void>()
      const writer = async (): Promise<void> => {
        const buffer = Buffer.allocUnsafeSlow(writeBytes)
        while (next < bytes && !signal.aborted) {
          const at = next
          next += writeBytes
          unconfirmed.add(at)
          while (at - Math.min(...unconfirmed) >= windowBytes) await confirmed.promise
          const { bytesRead } = await file.read(buffer, 0, Math.min(writeBytes, bytes - at), at)
          if (bytesRead === 0) throw new Error('the file is shorter than it was')
          await call(done => sftp.write(handle, buffer, 0, bytesRead, at, error => done(error, undefined)))
          unconfirmed.delete(at)
          confirmed.resolve()
          confirmed = Promise.withResolvers()
          sent(bytesRead)
        }
      }
      const close = () => call(done => sftp.close(handle, error => done(error, undefined)))
      try {
        await Promise.all(Array.from({ length: writesAtOnce }, writer))
      } catch (error) {
        // The write tells more than what follows from it.
        await close().catch(() => {})
        throw error
      }
      await close()
      signal.throwIfAborted()
    },
    async write(content, to) {
      const handle = await call<Buffer>(done => sftp.open(to, 'w', done))
      await call(done => sftp.write(handle, content, 0, content.length, 0, error => done(error, undefined)))
      await call(done => sftp.close(handle, error => done(error, undefined)))
    },
    read: path => call<Buffer>(done => sftp.readFile(path, done)),
    async rename(from, to) {
      try {
        return await call(done => sftp.ext_openssh_rename(from, to, error => done(error, undefined)))
      } catch (error) {
        if (!(error instanceof Error && /does not support/.test(error.message))) throw error
      }
      // Servers without that extension refuse to rename over a file.
      await remove(to)
      await call(done => sftp.rename(from, to, error => done(error, undefined)))
    },
  }
}

/** How much of a broken upload is sure to be there when so many bytes are: what was not confirmed lies near its end. */
export const sureOf = (size: number): number => Math.max(0, Math.floor((size - windowBytes) / writeBytes) * writeBytes)

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code

function sftpProblem(error: unknown, { host }: Login, fingerprint: string): Problem | unknown {
  if (isProblem(error) || !(error instanceof Error)) return error
  const { message } = error
  const code = codeOf(error)
  if (/Host denied|host verification/i.test(message))
    return refused(`The host key of ${host} is another one (${fingerprint}) than host_key says`, '', error)
  if (/authentication methods failed|authentication failure/i.test(message))
    return refused(`${host} refused the user name, the password or the key`, '', error)
  if (/privateKey|passphrase|Encrypted private/i.test(message))
    return refused('The private key cannot be read; check it and its passphrase', '', error)
  if (/unable to exec|subsystem/i.test(message)) return refused(`${host} offers no SFTP`, '', error)
  if (code === noSuchFile) return refused(`${host} says that the folder or file is not there`, '', error)
  if (code === 3) return refused(`${host} does not let this user write there`, '', error)
  if (code === 4)
    return refused(
      `${host} could not do it; its disk may be full, or something else lies in the file's place`,
      '',
      error,
    )
  return unreachable(`The connection to ${host} broke`, '', { cause: error })
}

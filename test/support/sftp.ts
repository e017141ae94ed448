// An SFTP server on a free port: ssh2 for the connection, OpenSSH's own sftp-server for the files where it is installed.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type FileHandle, mkdir, open, rename, stat, unlink } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import ssh2, { type Connection, type Session } from 'ssh2'

const openssh = ['/usr/lib/openssh/sftp-server', '/usr/libexec/sftp-server', '/usr/lib/ssh/sftp-server'].find(path =>
  existsSync(path),
)

export interface SftpServer {
  port: number
  /** `SHA256:…` of its key. */
  fingerprint: string
  /** As in known_hosts, without the name. */
  hostKey: string
  /** Whether the files are served by OpenSSH. */
  openssh: boolean
  stop(): Promise<void>
}

export interface SftpUser {
  username: string
  password: string
  /** Public key in the form of authorized_keys. */
  publicKey?: string
}

export interface SftpOptions {
  /** Without OpenSSH's sftp-server, and so without its extensions. */
  plain?: boolean
  /** Takes passwords only as the answer to a question. */
  asks?: boolean
  /** Has a key of this kind too, and shows it to clients that want it. */
  second?: KeyPair
}

type KeyPair = { private: string; public: string }

/**
 * A pair of ed25519 keys that can be read: ssh2 leaves out a byte of those whose public half begins with a zero, which
 * is one of 256.
 */
export function newSshKeys(passphrase?: string): KeyPair {
  for (let tries = 0; tries < 20; tries++) {
    // More rounds only make whoever guesses, and every reader, work longer.
    const keys = passphrase
      ? ssh2.utils.generateKeyPairSync('ed25519', { passphrase, cipher: 'aes256-ctr', rounds: 1 })
      : ssh2.utils.generateKeyPairSync('ed25519')
    if (!(ssh2.utils.parseKey(keys.private, passphrase) instanceof Error)) return keys
  }
  throw new Error('ssh2 made twenty pairs of keys that it cannot read itself')
}

/** Relative paths begin in `home`. */
export async function startSftp(home: string, user: SftpUser, options: SftpOptions = {}): Promise<SftpServer> {
  const keys = newSshKeys()
  const useOpenssh = openssh !== undefined && !options.plain
  const allowed = user.publicKey === undefined ? undefined : ssh2.utils.parseKey(user.publicKey)
  const server = new ssh2.Server(
    { hostKeys: [keys.private, ...(options.second ? [options.second.private] : [])] },
    client => {
      client.on('error', () => {})
      client.on('authentication', context => {
        const right = context.username === user.username
        if (right && !options.asks && context.method === 'password' && context.password === user.password)
          return context.accept()
        if (
          right &&
          context.method === 'publickey' &&
          allowed &&
          !(allowed instanceof Error) &&
          context.key.data.equals(allowed.getPublicSSH())
        ) {
          if (
            !context.signature ||
            allowed.verify(context.blob ?? Buffer.alloc(0), context.signature, context.hashAlgo) === true
          )
            return context.accept()
        }
        if (right && context.method === 'keyboard-interactive' && options.asks)
          return context.prompt([{ prompt: 'Password: ', echo: false }], ([answer]) =>
            answer === user.password ? context.accept() : context.reject(),
          )
        context.reject(options.asks ? ['keyboard-interactive'] : ['password', 'publickey'])
      })
      client.on('session', accept =>
        useOpenssh ? serveByOpenssh(client, accept(), home) : servePlainly(client, accept(), home),
      )
    },
  )
  // Sockets of our own, so that stopping can end them whatever state they are in.
  const sockets = new Set<Socket>()
  // Confirmations are small: held back until there are more of them, they keep the next writes waiting.
  const listener = createServer({ noDelay: true }, socket => {
    sockets.add(socket)
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
    server.injectSocket(socket)
  })
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve))
  // With a filter on names the hooks that stop it may never run; that must not keep the process.
  listener.unref()
  const blob = Buffer.from(keys.public.split(' ')[1] ?? '', 'base64')
  return {
    port: (listener.address() as AddressInfo).port,
    fingerprint: `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`,
    hostKey: keys.public,
    openssh: useOpenssh,
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => listener.close(resolve))
    },
  }
}

function serveByOpenssh(client: Connection, session: Session, home: string): void {
  session.on('subsystem', (accept, reject, { name }) => {
    if (name !== 'sftp' || openssh === undefined) return reject()
    const channel = accept()
    const child = spawn(openssh, ['-e'], { cwd: home, stdio: ['pipe', 'pipe', 'ignore'] })
    child.stdin.on('error', () => {})
    channel.on('error', () => {})
    // A connection that is cut closes no channel.
    client.once('close', () => child.kill())
    channel.pipe(child.stdin)
    child.stdout.pipe(channel)
  })
}

/** The calls that an upload needs, as the protocol's third version has them; no extensions. */
function servePlainly(client: Connection, session: Session, home: string): void {
  const { STATUS_CODE: code, OPEN_MODE } = ssh2.utils.sftp
  session.on('sftp', accept => {
    const sftp = accept()
    const handles = new Map<number, FileHandle>()
    client.once('close', () => {
      for (const file of handles.values()) void file.close()
    })
    let last = 0
    const at = (path: string) => (path.startsWith('/') ? path : join(home, path))
    const codes: Record<string, number> = { ENOENT: code.NO_SUCH_FILE, EACCES: code.PERMISSION_DENIED }
    const refuse = (id: number, error: { code?: string }) => sftp.status(id, codes[error.code ?? ''] ?? code.FAILURE)
    const status = (id: number, work: Promise<unknown>) =>
      work.then(
        () => sftp.status(id, code.OK),
        error => refuse(id, error),
      )
    const handleOf = (handle: Buffer) => handles.get(handle.readUInt32BE(0))
    const attributes = async (
      id: number,
      work: Promise<
        { mode: number; size: number; uid: number; gid: number; atimeMs: number; mtimeMs: number } | undefined
      >,
    ) => {
      const facts = await work.catch(() => undefined)
      if (!facts) return sftp.status(id, code.NO_SUCH_FILE)
      const { mode, size, uid, gid, atimeMs, mtimeMs } = facts
      sftp.attrs(id, { mode, size, uid, gid, atime: Math.floor(atimeMs / 1000), mtime: Math.floor(mtimeMs / 1000) })
    }
    sftp.on('OPEN', async (id, path, flags) => {
      try {
        const file = await open(at(path), flags & OPEN_MODE.TRUNC ? 'w' : flags & OPEN_MODE.WRITE ? 'r+' : 'r')
        const handle = Buffer.alloc(4)
        handle.writeUInt32BE(++last)
        handles.set(last, file)
        sftp.handle(id, handle)
      } catch (error) {
        refuse(id, error as { code?: string })
      }
    })
    sftp.on(
      'WRITE',
      (id, handle, offset, data) =>
        void status(id, handleOf(handle)?.write(Buffer.from(data), 0, data.length, offset) ?? Promise.reject({})),
    )
    sftp.on('READ', async (id, handle, offset, length) => {
      const buffer = Buffer.alloc(length)
      const { bytesRead = 0 } = (await handleOf(handle)?.read(buffer, 0, length, offset)) ?? {}
      if (bytesRead === 0) sftp.status(id, code.EOF)
      else sftp.data(id, buffer.subarray(0, bytesRead))
    })
    sftp.on('CLOSE', (id, handle) => {
      const file = handleOf(handle)
      handles.delete(handle.readUInt32BE(0))
      void status(id, file?.close() ?? Promise.resolve())
    })
    sftp.on('STAT', (id, path) => void attributes(id, stat(at(path))))
    sftp.on('FSTAT', (id, handle) => void attributes(id, handleOf(handle)?.stat() ?? Promise.resolve(undefined)))
    sftp.on('MKDIR', (id, path) => void status(id, mkdir(at(path))))
    sftp.on('REMOVE', (id, path) => void status(id, unlink(at(path))))
    // The third version refuses to rename over a file.
    sftp.on(
      'RENAME',
      (id, from, to) =>
        void status(
          id,
          stat(at(to)).then(
            () => Promise.reject({}),
            () => rename(at(from), at(to)),
          ),
        ),
    )
  })
}

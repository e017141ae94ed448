// A real SMTP server on a free port that keeps the messages it confirmed.
import type { AddressInfo, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'
import type { Certificate } from './certificates.ts'

export interface Message {
  from: string
  to: string[]
  raw: string
}

export interface MailReceiver {
  port: number
  messages: Message[]
  /** Answers in place of "taken", for so many messages. */
  refusals: { code: number; text: string }[]
  stop(): Promise<void>
}

export interface MailReceiverOptions {
  user: { name: string; password: string }
  tls?: Certificate
  /** TLS from the first byte; otherwise STARTTLS where there is a certificate. */
  secure?: boolean
  /** Largest message in bytes; 30 MB unless told. */
  size?: number
  /** Asked for every whole message: 0 takes it, a reply code refuses it, `cut` hangs up without a word. */
  answer?: (message: Message) => number | 'cut' | Promise<number | 'cut'>
}

const failure = (code: number, text: string) => Object.assign(new Error(text), { responseCode: code })

export async function startSmtp({
  user,
  tls,
  secure = false,
  size = 30_000_000,
  answer = () => 0,
}: MailReceiverOptions): Promise<MailReceiver> {
  const messages: Message[] = []
  const refusals: MailReceiver['refusals'] = []
  const server = new SMTPServer({
    secure,
    ...tls,
    size,
    authOptional: false,
    allowInsecureAuth: tls === undefined,
    disableReverseLookup: true,
    disabledCommands: tls === undefined ? ['STARTTLS'] : [],
    logger: false,
    closeTimeout: 500,
    onAuth({ username, password }, _session, done) {
      if (username === user.name && password === user.password) return done(null, { user: username })
      done(failure(535, `Authentication failed for ${username} with ${password}`))
    },
    onMailFrom({ address }, _session, done) {
      done(address.startsWith('barred@') ? failure(553, 'Not your address') : null)
    },
    onRcptTo({ address }, _session, done) {
      done(address.startsWith('nobody@') ? failure(550, 'No such mailbox') : null)
    },
    async onData(stream, session, done) {
      const raw = await buffer(stream).catch(() => null)
      const refusal = refusals.shift()
      if (raw === null) return
      if (refusal) return done(failure(refusal.code, refusal.text))
      const { mailFrom, rcptTo } = session.envelope
      const message = {
        from: mailFrom === false ? '' : mailFrom.address,
        to: rcptTo.map(({ address }) => address),
        raw: raw.toString('latin1'),
      }
      const told = await answer(message)
      if (told === 'cut') return hangUp(session)
      if (told > 0) return done(failure(told, 'Not now'))
      messages.push(message)
      done()
    },
  })
  server.on('error', () => {})
  const hangUp = (session: SMTPServerSession) => {
    const open = server.connections as unknown as Set<{ session: SMTPServerSession; _socket: Socket }>
    for (const connection of open) if (connection.session.id === session.id) connection._socket.destroy()
  }
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  // With a filter on names the hooks that stop it may never run; that must not keep the process.
  server.server.unref()
  return {
    port: (server.server.address() as AddressInfo).port,
    messages,
    refusals,
    stop: () => new Promise<void>(resolve => server.close(() => resolve())),
  }
}

export interface Part {
  headers: string
  body: Buffer
}

/** The leaves of a message, decoded. */
export function partsOf(raw: string): Part[] {
  const at = raw.indexOf('\r\n\r\n')
  const headers = raw.slice(0, at).replace(/\r\n[ \t]+/g, ' ')
  const body = raw.slice(at + 4)
  const boundary = /^content-type: multipart\/[^\r\n]*boundary="([^"]+)"/im.exec(headers)?.[1]
  if (boundary !== undefined)
    return body
      .split(`--${boundary}`)
      .slice(1, -1)
      .flatMap(part => partsOf(part.replace(/^\r\n/, '').replace(/\r\n$/, '')))
  const encoding = /^content-transfer-encoding: (\S+)/im.exec(headers)?.[1]
  if (encoding === 'base64') return [{ headers, body: Buffer.from(body, 'base64') }]
  if (encoding === 'quoted-printable') {
    const plain = body
      .replace(/=\r\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    return [{ headers, body: Buffer.from(plain, 'latin1') }]
  }
  return [{ headers, body: Buffer.from(body, 'latin1') }]
}

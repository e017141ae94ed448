// One SMTP session over a guarded connection: sign in, send one message, and errors in words.
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { DeliveryStep } from '#engine/adapter.ts'
import { isProblem, Problem } from '#kit/errors.ts'
import { type Outbound, Unreachable } from '#kit/net/outbound.ts'
import { quote, refused, unreachable } from './failure.ts'

export interface MailServer {
  host: string
  port: number
  /** TLS from the first byte; otherwise by STARTTLS. */
  secure: boolean
  username: string | undefined
  password: string | undefined
}

interface Envelope {
  from: string
  to: string[]
  size: number
}

interface Taken {
  accepted: string[]
  rejected: string[]
}

export interface MailSession {
  isEncrypted: boolean
  /** Asks whether a message of this sender to these addresses would be taken, and sends none. */
  rehearse(from: string, to: readonly string[]): Promise<void>
  send(envelope: Envelope, message: Readable): Promise<Taken>
}

/** Says that the server answered, so there is no doubt about what became of the message. */
export class MailRefusal extends Problem {}

/** Connects, signs in, runs `work` and ends the session, whatever happened. */
export async function inMailSession<T>(
  server: MailServer,
  { outbound, signal, clean }: Pick<DeliveryStep, 'outbound' | 'signal' | 'clean'>,
  work: (session: MailSession) => Promise<T>,
): Promise<T> {
  // Most processes never need it. It is loaded before there is a connection, whose end would not be heard meanwhile.
  const { default: Connection } = await import('nodemailer/lib/smtp-connection')
  const connection = await connectTo(server, outbound, signal)
  const { host, port, secure, username, password } = server
  const smtp: SMTPConnection = new Connection({
    connection,
    host,
    port,
    secure,
    // Passwords and guests' addresses go in the clear only to hosts that the operator has allowed.
    requireTLS: !secure && !mayBePlain(outbound, host),
    tls: { rejectUnauthorized: true },
    connectionTimeout: 15_000,
    greetingTimeout: 15_000,
    socketTimeout: 120_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  } as SMTPConnection.Options)
  const stop = () => smtp.close()
  signal.addEventListener('abort', stop, { once: true })
  const lost = new Promise<never>((_resolve, reject) => {
    smtp.once('error', reject)
    smtp.once('end', () => reject(unreachable('The connection to the mail server was closed')))
  })
  lost.catch(() => {})
  const call = <R>(start: (done: (error: Error | null | undefined, value?: R) => void) => void): Promise<R> =>
    Promise.race([
      new Promise<R>((resolve, reject) => start((error, value) => (error ? reject(error) : resolve(value as R)))),
      lost,
    ])
  try {
    await call(done => smtp.connect(done))
    if (username !== undefined)
      await call(done =>
        smtp.login(
          { credentials: { user: username, pass: password ?? '' } } as SMTPConnection.AuthenticationCredentials,
          done,
        ),
      )
    const send = (envelope: Envelope, message: Readable) =>
      call<SMTPConnection.SentMessageInfo>(done => smtp.send(envelope, message, done)).then(
        ({ accepted, rejected }) => ({ accepted: accepted.map(String), rejected: rejected.map(String) }),
      )
    const rehearse = async (from: string, to: readonly string[]) => {
      for (const line of [`MAIL FROM:<${from}>`, ...to.map(address => `RCPT TO:<${address}>`)])
        await call(done => say(smtp, line, done))
      await call(done => smtp.reset(done))
    }
    return await work({ send, rehearse, isEncrypted: smtp.secure })
  } catch (error) {
    signal.throwIfAborted()
    throw mailProblem(error, clean)
  } finally {
    signal.removeEventListener('abort', stop)
    smtp.quit()
    setTimeout(() => connection.destroy(), 2000).unref()
  }
}

/** nodemailer has no call for a single command; these two are what all of its own are made of (10.4). */
interface Commands {
  _responseActions: ((answer: string) => void)[]
  _sendCommand(line: string): void
}

function say(smtp: SMTPConnection, line: string, done: (error: Error | null) => void): void {
  const commands = smtp as unknown as Commands
  commands._responseActions.push(response => {
    const refusal = { responseCode: Number(response.slice(0, 3)), response }
    done(response.startsWith('2') ? null : Object.assign(new Error('refused'), refusal))
  })
  commands._sendCommand(line)
}

/** The host is part of the credentials here, so sentences do not name it. */
async function connectTo({ host, port }: MailServer, outbound: Outbound, signal: AbortSignal): Promise<Socket> {
  try {
    return await outbound.connect(host, port, { signal })
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
    throw new Unreachable(error.message.replace(host, 'the mail server'), error.sent, error)
  }
}

function mayBePlain(outbound: Outbound, host: string): boolean {
  try {
    outbound.check(`http://${host.includes(':') ? `[${host}]` : host}/`)
    return true
  } catch {
    return false
  }
}

interface MailError extends Error {
  code?: string
  originalCode?: string
  responseCode?: number
  response?: string
}

function mailProblem(error: unknown, clean: DeliveryStep['clean']): unknown {
  if (isProblem(error) || !(error instanceof Error)) return error
  const { code = '', originalCode = '', responseCode = 0, response = '' } = error as MailError
  const words = quote(response, clean)
  if (code === 'EAUTH') return settled(refused('The mail server refused the user name or the password', words, error))
  if (code === 'ETLS' || /CERT|SIGNED|SIGNATURE|SSL|TLS/.test(originalCode))
    return settled(
      refused(
        'The mail server offers no encryption that can be trusted; use `secure`, or a server with a valid certificate',
        '',
        error,
      ),
    )
  if (responseCode >= 500)
    return settled(refused(`The mail server refused the message (${responseCode})`, words, error))
  if (responseCode >= 400)
    return settled(
      unreachable(`The mail server could not take the message just now (${responseCode})`, words, { cause: error }),
    )
  if (code === 'EMESSAGE') return settled(refused('The message is too large for the mail server', '', error))
  return unreachable('The connection to the mail server broke', '', { cause: error })
}

const settled = ({ code, message, cause }: Problem): MailRefusal => new MailRefusal(code, message, { cause })

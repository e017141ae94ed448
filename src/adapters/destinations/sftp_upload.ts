// sftp_upload: puts the file onto a server by SFTP.
import { posix } from 'node:path'
import Type, { type Static } from 'typebox'
import { type DeliveryStep, destinationAdapter } from '#engine/adapter.ts'
import { withStandIns } from '#engine/placeholders.ts'
import { badOption, Problem } from '#kit/errors.ts'
import { interruptible } from '#kit/interruptible.ts'
import { fingerprint, newMeter } from '../delivery/bytes.ts'
import { newProbe, tried } from '../delivery/check-lines.ts'
import { keyOf, naming, patience } from '../delivery/delivery-options.ts'
import { refused, unreachable } from '../delivery/failure.ts'
import { remarksBy, reviewNaming } from '../delivery/review.ts'
import { inSession, type Login, type Session, sureOf } from '../delivery/sftp.ts'

const options = Type.Object(
  {
    host: Type.String({
      description: 'Name or address of the server.',
      pattern: '^[A-Za-z0-9._:-]+$',
      expects: 'the name or the address of a host',
      maxLength: 253,
      examples: ['files.example.com'],
    }),
    port: Type.Integer({ description: 'Port of the server.', default: 22, minimum: 1, maximum: 65_535 }),
    path: Type.String({
      description: 'Folder on the server, made when it is missing; without a leading `/` it begins in the user’s home.',
      placeholders: 'path',
      role: 'place',
      default: '',
      maxLength: 512,
      examples: ['/var/www/souvenirs'],
    }),
    ...naming,
    host_key: Type.Optional(
      Type.String({
        description:
          'Key of the server, as `SHA256:…` or as a line of known_hosts. Without it any server of that name is believed, with a warning.',
        minLength: 16,
        maxLength: 4096,
        examples: ['SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8'],
      }),
    ),
    ...patience,
  },
  { additionalProperties: false },
)

const auth = Type.Object(
  {
    username: Type.String({ description: 'User on the server.', minLength: 1, maxLength: 256 }),
    password: Type.Optional(Type.String({ description: 'Password of the user.', minLength: 1, maxLength: 1024 })),
    private_key: Type.Optional(
      Type.String({
        description: 'Private key of the user (OpenSSH or PEM), in place of the password.',
        minLength: 1,
        maxLength: 16_384,
      }),
    ),
    passphrase: Type.Optional(
      Type.String({ description: 'Passphrase of the private key.', minLength: 1, maxLength: 1024 }),
    ),
  },
  { additionalProperties: false },
)

type SftpStep = DeliveryStep<Static<typeof options>, Static<typeof auth>>

export const sftpUpload = destinationAdapter({
  name: 'sftp_upload',
  summary: 'Puts the file onto a server by SFTP.',
  accepts: ['image', 'video', 'audio', 'file'],
  makes: 'same',
  options,
  auth,
  target: ['host', 'port', 'host_key'],
  authParts: { username: 'name' },
  result: Type.Object({
    host: Type.String({ description: 'The server.' }),
    path: Type.String({ description: 'The path of the file there.' }),
  }),
  ownWords: ['host', 'path'],
  review: options => [...reviewNaming(options), ...remarksBy(() => checkPath(withStandIns(options.path)))],

  async deliver(input, step) {
    const path = placeOf(step, keyOf(step.options))
    const meter = newMeter(input.bytes, step.progress)
    const content = await fingerprint(input.path, step.signal)
    const aside = asideOf(path, step.marker)
    const again = step.checkpoint?.content === content && step.checkpoint.aside === aside
    if (!again) await step.save({ content, aside })
    await within(step, async session => {
      if (step.options.host_key === undefined)
        step.warn(`The host key of ${step.options.host} is not checked; set host_key to "${session.fingerprint}".`)
      await session.makeFolder(posix.dirname(path))
      const there = again ? ((await session.sizeOf(aside)) ?? 0) : 0
      const from = there > input.bytes ? 0 : sureOf(there)
      meter.set(from)
      await session.send({ path: input.path, bytes: input.bytes, from }, aside, meter.add, step.signal)
      const arrived = await session.sizeOf(aside)
      if (arrived !== input.bytes) throw unreachable(`${step.options.host} has ${arrived ?? 0} of ${input.bytes} bytes`)
      await session.rename(aside, path)
    })
    meter.set(input.bytes)
    return { host: step.options.host, path }
  },

  async abandon(step) {
    const { aside } = step.checkpoint ?? {}
    if (typeof aside === 'string') await removeAt(step, aside)
  },

  aims: step => ({ path: placeOf(step, keyOf(step.options)) }),

  async retract(delivered, step) {
    const { path } = delivered
    if (typeof path !== 'string') throw new Problem('internal', 'That is no result of sftp_upload.')
    await removeAt(step, path)
  },

  async *check(step) {
    const { name, content } = newProbe()
    const path = placeOf(step, keyOf({ file_prefix: step.options.file_prefix, file_name: name }))
    const key = { detail: '' }
    const written = await tried('Write a file', () =>
      within(step, async session => {
        key.detail =
          step.options.host_key === undefined
            ? `The host key is not checked; set host_key to "${session.fingerprint}".`
            : 'The server has the expected host key.'
        await session.makeFolder(posix.dirname(path))
        await session.write(content, asideOf(path, step.marker))
        await session.rename(asideOf(path, step.marker), path)
        return `A small file was written on ${step.options.host}.`
      }),
    )
    yield written
    if (!written.ok) return
    yield { ok: true, what: 'Host key', detail: key.detail }
    yield await tried('Read it back', () =>
      within(step, async session => {
        if (!content.equals(await session.read(path))) throw refused('What came back differs from what was written')
        return 'The same bytes came back.'
      }),
    )
    yield await tried('Delete it', () =>
      within(step, async session => {
        await session.remove(path)
        return 'The small file is gone again.'
      }),
    )
  },
})

function checkPath(path: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
  if (/[\u0000-\u001f\u007f]/.test(path)) throw badOption('path', 'may hold no control characters')
}

function placeOf({ options }: SftpStep, key: string): string {
  checkPath(options.path)
  return posix.join(options.path, key)
}

/** Nobody sees half a file; the name is the same on every attempt, so a broken one is gone on with. */
const asideOf = (path: string, marker: string): string => posix.join(posix.dirname(path), `.keepsake-${marker}.part`)

/** A session that is called off has some seconds for what is half there. Here is nothing half there. */
const removeAt = (step: SftpStep, path: string): Promise<void> =>
  within(step, session => interruptible(session.remove(path), step.signal))

function within<T>({ options, auth, outbound, signal }: SftpStep, work: (session: Session) => Promise<T>): Promise<T> {
  if (auth.password === undefined && auth.private_key === undefined)
    throw new Problem('option_missing', 'auth needs a password or a private_key.')
  const login: Login = {
    host: options.host,
    port: options.port,
    username: auth.username,
    password: auth.password,
    privateKey: auth.private_key,
    passphrase: auth.passphrase,
    hostKey: options.host_key,
  }
  return inSession(login, outbound, signal, work)
}

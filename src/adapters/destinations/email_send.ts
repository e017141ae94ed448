// email_send: sends the file, or a link to it, to a guest by email.
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import Type, { type Static } from 'typebox'
import { type DeliveryStep, destinationAdapter } from '#engine/adapter.ts'
import { withStandIns } from '#engine/placeholders.ts'
import { badOption, Problem } from '#kit/errors.ts'
import { Unreachable } from '#kit/net/outbound.ts'
import { LINK_PATTERN } from '#kit/schema.ts'
import { escaped } from '#kit/text.ts'
import type { MediaFile } from '#media/file/file.ts'
import { newMeter } from '../delivery/bytes.ts'
import { notTried, tried } from '../delivery/check-lines.ts'
import { patience } from '../delivery/delivery-options.ts'
import { mayBeSent, sendOnce } from '../delivery/intent.ts'
import { mailCard } from '../delivery/mail-card.ts'
import { remarksBy } from '../delivery/review.ts'
import { inMailSession, MailRefusal, type MailServer, type MailSession } from '../delivery/smtp.ts'

const options = Type.Object(
  {
    to: Type.String({
      description:
        'Addresses to send to, separated by commas. What a placeholder stands for is one address; with a task come 10 at most, unless the configuration names more.',
      default: '{{profile.email}}',
      placeholders: 'addresses',
      maxLength: 4096,
    }),
    subject: Type.String({
      description: 'Subject of the message.',
      minLength: 1,
      maxLength: 998,
      examples: ['Your souvenir, {{profile.name}}'],
    }),
    text: Type.String({ description: 'Body as plain text.', default: '', maxLength: 100_000 }),
    html: Type.Optional(
      Type.String({
        description:
          'Body as HTML, shown in place of the text where it can be. What placeholders stand for is escaped.',
        contentMediaType: 'text/html',
        maxLength: 500_000,
      }),
    ),
    design: Type.Enum(['card', 'none'], {
      description:
        'What is sent as HTML without `html`: `card` shows the picture, the text and a button to the link or the page of the guest; `none` sends the text alone.',
      default: 'card',
    }),
    title: Type.Optional(Type.String({ description: 'Heading of the card; left out: the subject.', maxLength: 200 })),
    button: Type.String({
      description: 'Text on the button of the card.',
      default: 'Open your souvenir',
      minLength: 1,
      maxLength: 100,
    }),
    color: Type.String({
      description: 'Colour of the button of the card.',
      default: '#1f6feb',
      pattern: '^#[0-9A-Fa-f]{6}$',
      expects: 'a colour like #rrggbb',
    }),
    attach: Type.Enum(['file', 'link'], {
      description: '`file` attaches the file, `link` puts the address of `link` below the text.',
      default: 'file',
    }),
    link: Type.Optional(
      Type.String({
        description:
          'Address of the file, for `attach` = `link` and for files that are too large to attach. May be a placeholder, like {{guest_url}}.',
        placeholders: 'link',
        pattern: LINK_PATTERN,
        maxLength: 4096,
        examples: ['https://gallery.example.com/{{task_id}}', '{{guest_url}}'],
      }),
    ),
    file_name: Type.String({
      description: 'Name of the attached file.',
      default: 'souvenir{{ext}}',
      minLength: 1,
      maxLength: 255,
    }),
    max_attach_bytes: Type.Integer({
      description: 'Largest file to attach, in bytes; most servers refuse messages above 25 MB.',
      default: 18_000_000,
      minimum: 0,
      maximum: 100_000_000,
    }),
    ...patience,
  },
  { additionalProperties: false },
)

const auth = Type.Object(
  {
    host: Type.String({ description: 'Name of the SMTP server.', pattern: '^[A-Za-z0-9._:-]+$', maxLength: 253 }),
    port: Type.Optional(
      Type.Integer({
        description: 'Port of the server; left out: 465 with `secure`, else 587.',
        minimum: 1,
        maximum: 65_535,
      }),
    ),
    secure: Type.Optional(
      Type.Boolean({
        description: 'TLS from the first byte, as on port 465. Otherwise the connection is encrypted by STARTTLS.',
        default: false,
      }),
    ),
    username: Type.Optional(Type.String({ description: 'User name.', minLength: 1, maxLength: 256 })),
    password: Type.Optional(Type.String({ description: 'Password.', minLength: 1, maxLength: 1024 })),
    from: Type.String({
      description: 'Address that the message comes from, as `Name <address>` or the address alone.',
      minLength: 3,
      maxLength: 512,
    }),
  },
  { additionalProperties: false },
)

type MailStep = DeliveryStep<Static<typeof options>, Static<typeof auth>>

export const emailSend = destinationAdapter({
  name: 'email_send',
  summary: 'Sends the file, or a link to it, by email.',
  accepts: ['image', 'video', 'audio', 'file'],
  makes: 'same',
  options,
  auth,
  target: ['auth.host', 'auth.port', 'auth.secure'],
  authParts: { host: 'name', port: 'plain', secure: 'plain', username: 'name', from: 'plain' },
  result: Type.Object({
    message_id: Type.String({ description: 'The Message-ID of the mail.' }),
    to: Type.Array(Type.String(), { description: 'The addresses that the server took.' }),
  }),
  ownWords: ['message_id', 'to'],
  review: ({ to, attach, link }) => [
    ...remarksBy(() => checkTo(withStandIns(to))),
    ...remarksBy(() => checkLink(attach, link)),
  ],

  async deliver(input, step) {
    checkTo(step.options.to)
    checkLink(step.options.attach, step.options.link)
    const meter = newMeter(input.bytes, step.progress)
    const withFile = isAttached(input, step)
    const message = await compose(input, step, withFile, meter.add)
    const { from, to } = message.getEnvelope()
    if (!from) throw new Problem('bad_options', 'from in auth holds no address.')
    if (to.length === 0) throw nobody()
    const stream = message.createReadStream()
    const state = { allGiven: false }
    stream.once('end', () => {
      state.allGiven = true
    })
    const send = () =>
      inMailSession(serverOf(step), step, async session => {
        // Base64 makes four bytes of three.
        const { accepted, rejected } = await session.send(
          { from, to, size: withFile ? Math.ceil(input.bytes * 1.4) : 0 },
          stream,
        )
        if (rejected.length > 0) step.warn(`The mail server did not take ${rejected.length} of ${to.length} addresses.`)
        meter.set(input.bytes)
        return { message_id: message.messageId(), to: accepted }
      })
    // A message is the server's once it has confirmed the dot behind it; without the dot it is nobody's.
    const isCertain = (error: unknown) =>
      !state.allGiven || error instanceof MailRefusal || (error instanceof Unreachable && !error.sent)
    try {
      return await sendOnce(step, 'the mail server', send, isCertain)
    } finally {
      stream.destroy()
    }
  },

  isInDoubt: mayBeSent,

  checkWithout: ['subject'],
  async *check(step) {
    const within = <T>(work: (session: MailSession) => Promise<T>) => inMailSession(serverOf(step), step, work)
    const found = { encrypted: false }
    const signedIn = await tried('Sign in', () =>
      within(async ({ isEncrypted }) => {
        found.encrypted = isEncrypted
        return step.auth.username === undefined
          ? 'The mail server answers; no user name is set, so none was tried.'
          : 'The mail server takes the user name and the password.'
      }),
    )
    yield signedIn
    if (!signedIn.ok) return
    yield {
      ok: true,
      what: 'Encryption',
      detail: found.encrypted
        ? 'The connection is encrypted, and the certificate is valid.'
        : 'The connection is not encrypted, which KEEPSAKE_ALLOW_HOSTS allows for this server.',
    }
    const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
    const { from, to } = new MailComposer({ from: step.auth.from, to: step.options.to }).compile().getEnvelope()
    if (!from) return yield { ok: false, what: 'Sender', detail: 'from in auth holds no address.' }
    const known = to.filter(address => !isStandIn(address))
    yield await tried(known.length > 0 ? 'Sender and addresses' : 'Sender', () =>
      within(async session => {
        await session.rehearse(from, known)
        return known.length > 0
          ? `The mail server takes messages from ${from} to ${known.join(', ')}.`
          : `The mail server takes messages from ${from}; to whom comes with each guest.`
      }),
    )
    yield notTried('send a message', 'A message that was sent cannot be taken back.')
  },
})

const nobody = (): Problem => badOption('to', 'holds no address to send to', 'missing')

function checkTo(to: string): void {
  if (/\p{Cc}/u.test(to)) throw badOption('to', 'may hold no control characters')
  if (/^[ ,;]*$/.test(to)) throw nobody()
}

function checkLink(attach: string, link: string | undefined): void {
  if (attach === 'link' && link === undefined) throw badOption('attach', '= link needs the option link', 'missing')
}

/** The check stands in for guests with an address of a domain that nobody has (RFC 2606). */
const isStandIn = (address: string): boolean => /[@.]example\.(org|com|net)$/i.test(address)

const serverOf = ({ auth }: MailStep): MailServer => {
  const { host, secure = false, port = secure ? 465 : 587, username, password } = auth
  return { host, port, secure, username, password }
}

function isAttached(input: MediaFile, step: MailStep): boolean {
  const { attach, link, max_attach_bytes: most } = step.options
  if (attach === 'link') return false
  if (input.bytes <= most) return true
  if (link === undefined)
    throw new Problem(
      'destination_refused',
      `The file has ${input.bytes} bytes, more than the ${most} that max_attach_bytes allows to attach, and there is no link to send in its place.`,
    )
  step.warn('The file is too large to attach, so the link was sent in its place.')
  return false
}

async function compose(input: MediaFile, step: MailStep, withFile: boolean, sent: (bytes: number) => void) {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  const { to, subject, text, link, file_name } = step.options
  const isCard = step.options.html === undefined && step.options.design === 'card'
  const below = (isCard ? urlFor(step) : withFile ? undefined : link) ?? ''
  const picture = withFile && shownInMails.has(input.mime) ? `${step.marker}@keepsake` : undefined
  const html = isCard ? cardFor(step, picture) : step.options.html
  async function* content() {
    for await (const chunk of createReadStream(input.path)) {
      yield chunk
      sent((chunk as Buffer).length)
    }
  }
  const domain = /@([A-Za-z0-9.-]+)/.exec(step.auth.from)?.[1] ?? 'localhost'
  const mail = new MailComposer({
    from: step.auth.from,
    to,
    subject,
    text: [text, below].filter(part => part !== '').join('\n\n'),
    ...(html !== undefined && {
      html: below === '' || isCard ? html : `${html}<p><a href="${escaped(below)}">${escaped(below)}</a></p>`,
    }),
    // The same on every attempt, so that mail systems can tell a repeated one.
    messageId: `<${step.marker}@${domain}>`,
    ...(withFile && {
      attachments: [
        {
          filename: file_name,
          contentType: input.mime,
          content: Readable.from(content(), { objectMode: false }),
          // The card shows the attachment itself, so that it is sent once.
          ...(picture !== undefined && isCard && { cid: picture, contentDisposition: 'attachment' as const }),
        },
      ],
    }),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return mail.compile()
}

/** Pictures that every mail client shows. */
const shownInMails: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif'])

/** The page of the guest, where there is one, is a value for placeholders like others. */
function cardFor({ options, context }: MailStep, picture: string | undefined): string {
  const { title, subject, text, button, color } = options
  return mailCard({ title: title ?? subject, text, url: urlFor({ options, context }), button, picture, color })
}

function urlFor({ options, context: { guest_url } }: Pick<MailStep, 'options' | 'context'>): string | undefined {
  return options.link ?? (typeof guest_url === 'string' && /^https?:\/\//.test(guest_url) ? guest_url : undefined)
}

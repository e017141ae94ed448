// print_ipp: prints the picture on a printer of the network, one print for each delivery.
import { setTimeout as pause } from 'node:timers/promises'
import Type, { type Static } from 'typebox'
import { type DeliveryStep, destinationAdapter } from '#engine/adapter.ts'
import { badOption, isProblem } from '#kit/errors.ts'
import type { JsonObject } from '#kit/json.ts'
import type { MediaFile } from '#media/file/file.ts'
import { notTried, tried } from '../delivery/check-lines.ts'
import { patience } from '../delivery/delivery-options.ts'
import { outcomeUnknown, outOfQuota, quote, refused, unreachable } from '../delivery/failure.ts'
import { remarksBy } from '../delivery/review.ts'
import { chosen, type Found, lookAt } from '../printing/choose.ts'
import type { Attributes } from '../printing/ipp-codec.ts'
import {
  anew,
  cancelJob,
  earlierJob,
  forgotten,
  hasNoSheet,
  jobName,
  mayBePrinted,
  type Saved,
  sendJob,
  states,
} from '../printing/job.ts'
import { type Page, stepsFor } from '../printing/print-page.ts'
import {
  type Job,
  needOf,
  numberIn,
  type Printer,
  printerAt,
  printerAttributes,
  readJob,
  textIn,
} from '../printing/printer.ts'

/** A name as IPP writes it. */
const keyword = {
  pattern: '^[A-Za-z0-9._-]+$',
  expects: 'a name of letters, digits, ., _ and -',
  maxLength: 255,
}

const options = Type.Object(
  {
    printers: Type.Array(
      Type.String({
        pattern: '^ipps?://[^/?#{}@\\s]+(/[^{}\\s]*)?$',
        maxLength: 1024,
        expects: 'an ipp:// or ipps:// address',
      }),
      {
        description:
          'Addresses of the printers, `ipps://` or `ipp://`. They take turns; one that cannot print is passed over.',
        minItems: 1,
        maxItems: 16,
        uniqueItems: true,
        examples: [['ipps://printer-1.example.com/ipp/print']],
      },
    ),
    certificates: Type.Array(
      Type.String({
        pattern: '^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){31}$',
        maxLength: 95,
        expects: 'a SHA-256 fingerprint, 32 pairs of hex digits with colons between',
      }),
      {
        description:
          'SHA-256 fingerprints of certificates that printers made for themselves. Such a printer is believed by its fingerprint alone.',
        default: [],
        maxItems: 16,
      },
    ),
    media: Type.Optional(
      Type.String({
        description: 'Name of the medium (PWG 5101.1). Left out: the one that the printer has in.',
        ...keyword,
        examples: ['na_index-4x6_4x6in', 'om_small-photo_100x150mm'],
      }),
    ),
    media_type: Type.Optional(
      Type.String({
        description: 'Kind of the medium.',
        ...keyword,
        examples: ['photographic-glossy'],
      }),
    ),
    media_source: Type.Optional(
      Type.String({
        description: 'Tray that the medium is taken from.',
        ...keyword,
        examples: ['main'],
      }),
    ),
    borderless: Type.Boolean({
      description: 'Whether to print to the edges where the printer can; otherwise inside its margins.',
      default: true,
    }),
    fit: Type.Enum(['cover', 'contain'], {
      description: '`cover` fills the page and cuts off what is over, `contain` shows all of the picture.',
      default: 'cover',
    }),
    background: Type.String({
      description: 'Colour beside the picture for `contain`.',
      default: '#ffffff',
      pattern: '^#[0-9A-Fa-f]{6}$',
      expects: 'a colour like #rrggbb',
    }),
    turn: Type.Boolean({
      description: 'Whether to turn the picture by 90° where it then fills the page better.',
      default: true,
    }),
    color: Type.Enum(['auto', 'color', 'monochrome'], { description: 'Colour of the print.', default: 'auto' }),
    quality: Type.Enum(['draft', 'normal', 'high'], { description: 'Quality of the print.', default: 'high' }),
    resolution: Type.Integer({
      description: 'Pixels per inch of what is sent.',
      default: 300,
      minimum: 72,
      maximum: 600,
    }),
    copies: Type.Integer({ description: 'How often it is printed.', default: 1, minimum: 1, maximum: 20 }),
    prints_per_roll: Type.Optional(
      Type.Integer({
        description:
          'Prints that a roll of a printer gives. When they are used up, deliveries wait until the roll is reported as changed.',
        minimum: 1,
        maximum: 100_000,
        examples: [700],
      }),
    ),
    wait: Type.Number({
      description: 'Seconds between two looks at a printer that needs somebody, or still prints.',
      default: 15,
      minimum: 0.5,
      maximum: 3600,
    }),
    job_seconds: Type.Integer({
      description: 'Seconds after which a job that the printer works on without an end is given up.',
      default: 900,
      minimum: 5,
      maximum: 86_400,
    }),
    ...patience,
  },
  { additionalProperties: false },
)

const auth = Type.Object(
  {
    username: Type.Optional(
      Type.String({
        description: 'User name, where the printer asks for one.',
        minLength: 1,
        maxLength: 256,
        pattern: '^[^:]+$',
      }),
    ),
    password: Type.Optional(Type.String({ description: 'Password.', maxLength: 1024 })),
  },
  { additionalProperties: false },
)

type PrintStep = DeliveryStep<Static<typeof options>, Static<typeof auth>>

/** One attempt follows a job for so long, then lets others have its place. */
const FOLLOWED_MS = 20_000
/** Of a printer. */
const PROCESSING = 4

export const printIpp = destinationAdapter({
  name: 'print_ipp',
  summary: 'Prints the picture on a printer of the network.',
  accepts: ['image'],
  makes: 'same',
  options,
  auth,
  target: ['printers', 'certificates'],
  addresses: ['printers'],
  authParts: { username: 'name' },
  result: Type.Object({
    printer: Type.String({ description: 'The address of the printer.' }),
    job_id: Type.Integer({ description: 'The number that the printer gave the job.' }),
    job_name: Type.String({ description: 'The name of the job there.' }),
    media: Type.String({ description: 'The medium that it was printed on.' }),
    copies: Type.Integer({ description: 'How often it was printed.' }),
  }),
  ownWords: ['printer', 'job_name', 'copies'],
  review: ({ copies, prints_per_roll }) =>
    remarksBy(() => {
      if (prints_per_roll !== undefined && copies > prints_per_roll)
        throw badOption('copies', 'may not be more than prints_per_roll')
    }),

  async deliver(input, step) {
    const saved = (step.checkpoint ?? {}) as Saved
    if (saved.result) {
      await step.rolls.settle()
      return saved.result
    }
    if (saved.printer !== undefined) {
      const printer = printerAt(saved.printer)
      const earlier = await earlierJob(step, printer, saved).catch(error => {
        throw inDoubt(error, printer, step.options.wait)
      })
      if (earlier) return follow(step, printer, earlier)
    }
    return begin(input, step)
  },

  async abandon(step) {
    const saved = (step.checkpoint ?? {}) as Saved
    const { printer, job, result } = saved
    const taken = result || printer === undefined || job === undefined ? null : await takenBack(step, printer, job)
    const isOut = result !== undefined || (printer !== undefined && taken === null)
    await (isOut ? step.rolls.settle() : step.rolls.giveBack())
    // The next run prints it by another job.
    if (taken) await step.save(anew({ hasSheets: saved.hasSheets || taken.mayHaveSheets }) as JsonObject)
  },

  isInDoubt: ({ checkpoint }) => mayBePrinted((checkpoint ?? {}) as Saved),

  async *check(step) {
    const found = new Map<string, Found>()
    for (const uri of step.options.printers) {
      const printer = printerAt(uri)
      yield await tried(printer.name, async () => {
        const one = await lookAt(step, printer, step.options)
        if (one.problem) throw one.problem
        found.set(uri, one)
        const { medium, isBorderless } = one.page as Page
        const model = quote(textIn(one.attributes as Attributes, 'printer-make-and-model') ?? 'It', step.clean)
        return `${model} is ready and prints on ${medium}, ${isBorderless ? 'to the edges' : 'inside its margins'}.`
      })
    }
    const most = step.options.prints_per_roll
    if (most !== undefined)
      for (const { printer, used } of await step.rolls.read(step.options.printers))
        yield {
          ok: used + step.options.copies <= most,
          what: `Roll of ${new URL(printer).host}`,
          detail: `The count stands at ${used} of ${most} prints.`,
        }
    if (found.size > 0) yield notTried('print', 'A print cannot be taken back.')
  },
})

async function begin(input: MediaFile, step: PrintStep): Promise<JsonObject> {
  const { options } = step
  // With something saved `abandon` is called, which gives a counted print back.
  if (!step.checkpoint) await step.save({})
  const { printer, page, canCreate } = await chosen(step, options)
  const picture = await step.picture(input, size => stepsFor(page, options, size))
  if (options.borderless && !page.isBorderless)
    step.warn(`${printer.name} cannot print to the edges, so the picture lies inside its margins.`)
  step.decide(`Printed on ${page.medium} at ${printer.name.replace('The printer ', '')}.`)
  step.progress(0.1)
  step.signal.throwIfAborted()
  const before = anew((step.checkpoint ?? {}) as Saved)
  const saved: Saved = { ...before, printer: printer.uri, medium: page.medium, since: Date.now() }
  const sent = await sendJob(step, printer, saved, { page, canCreate, picture })
  step.progress(0.5)
  return follow(step, printer, sent)
}

/** Looks at the job until it ends, or until somebody else should have the place of this delivery. */
async function follow(step: PrintStep, printer: Printer, sent: Saved): Promise<JsonObject> {
  const id = sent.job as number
  let saved = sent
  const { options } = step
  const until = Date.now() + FOLLOWED_MS
  for (let waitMs = 250; ; waitMs = Math.min(waitMs * 2, 4_000)) {
    const job = await readJob(step, printer, id).catch(error => {
      throw inDoubt(error, printer, options.wait)
    })
    if (job === null) throw forgotten(printer, id)
    if (job.state === states.completed) return ended(step, printer, saved, job)
    if (job.state === states.aborted || job.state === states.canceled) await lost(step, printer, saved, job)
    const attributes = await printerAttributes(step, printer).catch(() => null)
    const need = attributes && needOf(attributes, true)
    if (need !== null || job.state === states.stopped || job.state === states.held) {
      await step.save({ ...saved, since: Date.now() } as JsonObject)
      throw outOfQuota(
        `${printer.name} ${need ?? 'has stopped the job'}. Job ${id} waits there and goes on by itself`,
        options.wait,
      )
    }
    const isBehindOthers =
      job.state === states.pending && attributes !== null && numberIn(attributes, 'printer-state') === PROCESSING
    if (isBehindOthers) saved = { ...saved, since: Date.now() }
    if (Date.now() - (saved.since ?? 0) > options.job_seconds * 1000)
      throw outcomeUnknown(
        `${printer.name} has worked on job ${id} for more than ${options.job_seconds} s without an end. Look there, then retry the task if it is missing.`,
      )
    if (Date.now() > until) {
      await step.save(saved as JsonObject)
      throw outOfQuota(`${printer.name} still prints job ${id}`, Math.min(options.wait, 5))
    }
    await pause(waitMs, undefined, { signal: step.signal })
  }
}

/** A job that may be printing is never given to another printer, so its own is waited for. */
function inDoubt(error: unknown, printer: Printer, wait: number): unknown {
  if (!isProblem(error, 'destination_unreachable')) return error
  return outOfQuota(`${printer.name} may have the job and does not answer now; it is asked again`, wait, error.message)
}

async function ended(step: PrintStep, printer: Printer, saved: Saved, job: Job): Promise<JsonObject> {
  const { copies } = step.options
  const result: JsonObject = {
    printer: printer.uri,
    job_id: job.id,
    job_name: jobName(step),
    media: saved.medium ?? '',
    copies,
  }
  await step.save({ ...saved, result } as JsonObject)
  await step.rolls.settle()
  step.progress(1)
  return result
}

/** Null: the job could not be cancelled any more. */
async function takenBack(step: PrintStep, uri: string, id: number): Promise<{ mayHaveSheets: boolean } | null> {
  const printer = printerAt(uri)
  const job = await readJob(step, printer, id)
  if (!(await cancelJob(step, printer, id))) return null
  const hasNotBegun = job?.state === states.pending || job?.state === states.held
  return { mayHaveSheets: !hasNotBegun && job?.sheets !== 0 }
}

async function lost(step: PrintStep, printer: Printer, saved: Saved, job: Job): Promise<never> {
  const { id, state, sheets, message, reasons } = job
  // A printer that got half a document drops it: that is the connection's fault, and the next attempt sends the whole.
  const wasHalf = saved.cut === true && state === states.aborted && hasNoSheet(job)
  const isBlank = wasHalf || sheets === 0
  await (isBlank ? step.rolls.giveBack() : step.rolls.settle())
  await step.save((isBlank ? anew(saved) : { hasSheets: true }) as JsonObject)
  const said = quote(message ?? reasons.join(', '), step.clean)
  if (wasHalf) throw unreachable(`${printer.name} dropped job ${id}, whose picture had not arrived whole`, said)
  throw state === states.canceled
    ? refused(`Job ${id} was cancelled at ${printer.name.replace('The', 'the')}`, said)
    : refused(`${printer.name} aborted job ${id}`, said)
}

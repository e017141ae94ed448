// Brings one job to a printer, and finds out what became of it when an attempt ended in doubt.
import { setTimeout as pause } from 'node:timers/promises'
import type { DeliveryStep } from '#engine/adapter.ts'
import type { JsonObject } from '#kit/json.ts'
import type { MediaFile } from '#media/file/file.ts'
import { wholeFile } from '../delivery/bytes.ts'
import { outcomeUnknown, unreachable } from '../delivery/failure.ts'
import type { RollStep } from './choose.ts'
import type { Message } from './ipp-codec.ts'
import type { Page } from './print-page.ts'
import {
  ask,
  isBusy,
  type Job,
  jobsNamed,
  numberIn,
  operations,
  type Printer,
  readJob,
  refusalIn,
  words,
} from './printer.ts'

type JobStep = RollStep & Pick<DeliveryStep, 'marker' | 'save' | 'warn'>

/** What is known of a delivery between its attempts. */
export interface Saved {
  /** Alone: a job was about to be made, and no document was sent. */
  printer?: string
  medium?: string
  /** When the document went out together with its job. */
  at?: number
  job?: number
  /** The printer has confirmed the document. */
  sent?: boolean
  /** The connection ended before it did: the document may have arrived in part. */
  cut?: boolean
  /** Since when the printer works on it without telling of a reason to wait. */
  since?: number
  /** A job that the printer gave up before may have left sheets in its tray. */
  hasSheets?: boolean
  result?: JsonObject
}

/** What is still known when the next job is another one. */
export const anew = ({ hasSheets }: Saved): Saved => (hasSheets ? { hasSheets } : {})

/** A job takes its document before it prints, and what is saved of one may be of any moment after. */
export const mayBePrinted = ({ at, job, hasSheets, result }: Saved): boolean =>
  at !== undefined || job !== undefined || hasSheets === true || result !== undefined

export const states = { pending: 3, held: 4, stopped: 6, canceled: 7, aborted: 8, completed: 9 } as const

/** So long every printer remembers a job that has ended (PWG 5100.14 asks for more). */
const REMEMBERED_MS = 60_000

/** Known again at the printer: the same for every attempt. */
export const jobName = ({ marker }: Pick<DeliveryStep, 'marker'>): string => `keepsake-${marker}`

/**
 * Makes the job first and sends its document then, where the printer can: the number of the job is saved in between, and a job takes
 * its document once. Else job and document go out together, and the name of the job tells whether they arrived.
 */
export async function sendJob(
  step: JobStep,
  printer: Printer,
  saved: Saved,
  { page, canCreate, picture }: { page: Page; canCreate: boolean; picture: MediaFile },
): Promise<Saved> {
  const operation = { 'job-name': words.name(jobName(step)), 'ipp-attribute-fidelity': words.flag(false) }
  const format = { 'document-format': words.mime('image/jpeg') }
  const document = wholeFile(picture, () => {})
  if (!canCreate) {
    await step.save({ ...saved, at: Date.now() } as JsonObject)
    const print = () =>
      ask(step, printer, operations.printJob, { operation: { ...operation, ...format }, job: page.job, document })
    const job = await accepted(step, printer, saved, await onceFree(step, print))
    return save(step, { ...saved, job, sent: true })
  }
  await step.save(saved as JsonObject)
  const create = () => ask(step, printer, operations.createJob, { operation, job: page.job })
  const job = await accepted(step, printer, saved, await onceFree(step, create))
  await step.save({ ...saved, job } as JsonObject)
  const last = { 'job-id': words.integer(job), ...format, 'last-document': words.flag(true) }
  const answer = await ask(step, printer, operations.sendDocument, { operation: last, document })
  await accepted(step, printer, saved, answer, job)
  return save(step, { ...saved, job, sent: true })
}

/** So long it is asked again and again, in the hope that the job before ours ends. */
const BUSY_MS = 15_000

/** A printer that was busy has taken nothing. */
async function onceFree({ signal }: Pick<JobStep, 'signal'>, question: () => Promise<Message>): Promise<Message> {
  const until = Date.now() + BUSY_MS
  for (;;) {
    const answer = await question()
    if (!isBusy(answer) || Date.now() > until) return answer
    await pause(200 + Math.random() * 600, undefined, { signal })
  }
}

async function save(step: JobStep, saved: Saved): Promise<Saved> {
  await step.save(saved as JsonObject)
  return saved
}

/** The number of the job. A refused one is given up: the next attempt makes another. */
async function accepted(
  step: JobStep,
  printer: Printer,
  saved: Saved,
  answer: Message,
  made?: number,
): Promise<number> {
  const problem = refusalIn(printer, answer, step.clean)
  if (problem) {
    if (made !== undefined) await cancelJob(step, printer, made)
    await step.rolls.giveBack()
    await step.save(anew(saved) as JsonObject)
    throw problem
  }
  const job = made ?? answer.groups.map(group => numberIn(group, 'job-id')).find(id => id !== undefined)
  if (job === undefined || job < 1) throw unreachable(`${printer.name} took the job and gave it no number`)
  return job
}

export async function cancelJob(step: JobStep, printer: Printer, job: number): Promise<boolean> {
  const { code } = await ask(step, printer, operations.cancelJob, { operation: { 'job-id': words.integer(job) } })
  return code < 0x0400
}

/** What an earlier attempt has at the printer; null when it has nothing there that can still be printed. */
export async function earlierJob(step: JobStep, printer: Printer, saved: Saved): Promise<Saved | null> {
  if (saved.sent) return saved
  if (saved.job !== undefined) return sentOrNot(step, printer, saved, saved.job)
  const jobs = (await jobsNamed(step, printer, jobName(step))).filter(job => !isDead(job))
  if (saved.at === undefined) {
    // These never got a document. Left there, they would hold up the printer until it tires of them.
    for (const { id, state } of jobs) if (state !== states.completed) await cancelJob(step, printer, id)
    return null
  }
  const [found] = jobs
  if (found) return save(step, { ...saved, job: found.id, sent: true, cut: true })
  if (Date.now() - saved.at < REMEMBERED_MS) return null
  throw outcomeUnknown(
    `${printer.name} knows no job ${jobName(step)}, but may have forgotten it, so it may or may not have been printed. Look there, then retry the task if it is missing.`,
  )
}

async function sentOrNot(step: JobStep, printer: Printer, saved: Saved, id: number): Promise<Saved | null> {
  const job = await readJob(step, printer, id)
  if (job === null) throw forgotten(printer, id)
  if (isDead(job) && hasNoSheet(job)) return null
  // A job that was cancelled takes no document any more, also not one that is still on its way.
  if (isEmpty(job) && (await cancelJob(step, printer, id))) return null
  // Some printers print what they have of a document when the connection ends. A second print would be worse than a look at this one.
  step.warn(
    `The connection to ${printer.name.replace('The', 'the')} ended while the picture was sent. Look whether the print is whole.`,
  )
  return save(step, { ...saved, sent: true, cut: true })
}

export const forgotten = ({ name }: Printer, id: number) =>
  outcomeUnknown(
    `${name} no longer knows job ${id}, so it may or may not have been printed. Look there, then retry the task if it is missing.`,
  )

const isDead = ({ state }: Job): boolean => state === states.aborted || state === states.canceled

/** Nothing of it was printed, as far as the printer tells. */
export const hasNoSheet = ({ sheets }: Pick<Job, 'sheets'>): boolean => !sheets

/** It has no document, or not the whole of it. */
const isEmpty = ({ state, documents, reasons }: Job): boolean =>
  (state === states.pending || state === states.held) &&
  (documents === 0 || reasons.includes('job-incoming') || reasons.includes('job-data-insufficient'))

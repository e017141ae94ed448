// One printer: asks it over HTTP, and says in words what it answers, what state it is in and what it needs.
import type { DeliveryStep } from '#engine/adapter.ts'
import type { Problem } from '#kit/errors.ts'
import { type OutboundResponse, type Pieces, Unreachable } from '#kit/net/outbound.ts'
import { answered, outOfQuota, quote, refused, unreachable } from '../delivery/failure.ts'
import { type Attributes, BadIpp, decode, encode, type IppValue, type Message, type Sent } from './ipp-codec.ts'

export const operations = {
  printJob: 0x0002,
  createJob: 0x0005,
  sendDocument: 0x0006,
  cancelJob: 0x0008,
  getJobAttributes: 0x0009,
  getJobs: 0x000a,
  getPrinterAttributes: 0x000b,
} as const

const NOT_FOUND = 0x0406
const BUSY = 0x0507
const BUSY_S = 2
/** A printer that is busy has so long for a question; a picture goes out within two minutes. */
const ASK_MS = 20_000
const SEND_MS = 120_000
const MOST_BYTES = 4 * 1024 ** 2
const MOST_JOBS = 500

export type PrinterStep = Pick<DeliveryStep, 'outbound' | 'signal' | 'clean'> & {
  auth: { username?: string; password?: string }
  options: { certificates: readonly string[] }
}

export interface Printer {
  /** As in the option. */
  uri: string
  /** For sentences: host and port. */
  name: string
}

export const printerAt = (uri: string): Printer => ({ uri, name: `The printer ${new URL(webUrl(uri)).host}` })

/** IPP is HTTP on port 631 unless told. */
export function webUrl(uri: string): string {
  const url = new URL(uri.replace(/^ipp/i, 'http'))
  const isDefault = !/^ipps?:\/\/(?:\[[^\]]*\]|[^/:?#]*):\d/i.test(uri)
  if (isDefault) url.port = '631'
  return url.href
}

export const words = {
  integer: (value: number): Sent[] => [{ tag: 'integer', value }],
  enumeration: (value: number): Sent[] => [{ tag: 'enum', value }],
  flag: (value: boolean): Sent[] => [{ tag: 'boolean', value }],
  keyword: (...values: string[]): Sent[] => values.map(value => ({ tag: 'keyword', value })),
  name: (value: string): Sent[] => [{ tag: 'name', value }],
  mime: (value: string): Sent[] => [{ tag: 'mime', value }],
  collection: (value: Record<string, Sent[]>): Sent[] => [{ tag: 'collection', value }],
}

interface Question {
  operation: Record<string, Sent[]>
  job?: Record<string, Sent[]>
  document?: Pieces
}

/** Asks once. A status of IPP that means an error is left to the caller. */
export async function ask(
  step: PrinterStep,
  { uri, name }: Printer,
  code: number,
  { operation, job = {}, document = [] }: Question,
): Promise<Message> {
  const head: Record<string, Sent[]> = {
    'attributes-charset': [{ tag: 'charset', value: 'utf-8' }],
    'attributes-natural-language': [{ tag: 'language', value: 'en' }],
    'printer-uri': [{ tag: 'uri', value: uri }],
    'requesting-user-name': words.name('keepsake'),
  }
  const answer = await step.outbound.request(webUrl(uri), {
    method: 'POST',
    headers: { 'content-type': 'application/ipp', accept: 'application/ipp', ...signedIn(step.auth) },
    body: [encode(code, 1, { ...head, ...operation }, job), ...document],
    signal: step.signal,
    timeoutMs: document.length > 0 ? SEND_MS : ASK_MS,
    maxBytes: MOST_BYTES,
    trusts: step.options.certificates,
  })
  if (answer.status !== 200) throw answered(name, answer.status, answer.headers, quote(await answer.text(), step.clean))
  const bytes = await wholeAnswer(answer, name)
  try {
    return decode(bytes)
  } catch (error) {
    if (!(error instanceof BadIpp)) throw error
    throw unreachable(`${name} gave an answer that cannot be read: ${error.message}`)
  }
}

const signedIn = ({ username, password = '' }: PrinterStep['auth']): Record<string, string> =>
  username === undefined ? {} : { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }

async function wholeAnswer(answer: OutboundResponse, name: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of answer.body as AsyncIterable<Buffer>) chunks.push(chunk)
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
    throw unreachable(`${name} did not finish its answer`, '', { cause: error })
  }
  return Buffer.concat(chunks)
}

/** The Problem behind a status that is no success; null for one that is. */
export function refusalIn(
  { name }: Printer,
  { code, operation }: Message,
  clean: PrinterStep['clean'],
): Problem | null {
  if (code < 0x0400) return null
  const said = quote(textIn(operation, 'status-message') ?? '', clean)
  const status = `0x${code.toString(16).padStart(4, '0')}`
  if (isBusy({ code })) return outOfQuota(`${name} is busy with other jobs (${status})`, BUSY_S, said)
  if (code >= 0x0500) return unreachable(`${name} cannot take this now (${status})`, said)
  if (code === 0x0401 || code === 0x0402 || code === 0x0403)
    return refused(`${name} refused our credentials (${status})`, said)
  if (code === 0x040a) return refused(`${name} does not print this kind of file (${status})`, said)
  return refused(`${name} refused the job (${status})`, said)
}

/** Simple printers take a job only when they have none. */
export const isBusy = ({ code }: Pick<Message, 'code'>): boolean => code === BUSY
const isUnknownJob = ({ code }: Message): boolean => code === NOT_FOUND

const asked = [
  'printer-state',
  'printer-state-reasons',
  'printer-state-message',
  'printer-is-accepting-jobs',
  'printer-make-and-model',
  'queued-job-count',
  'operations-supported',
  'document-format-supported',
  'job-creation-attributes-supported',
  'color-supported',
  'print-color-mode-supported',
  'print-scaling-supported',
  'print-quality-supported',
  'orientation-requested-supported',
  'copies-supported',
  'media-supported',
  'media-ready',
  'media-default',
  'media-col-ready',
  'media-col-supported',
  'media-type-supported',
  'media-source-supported',
  'media-size-supported',
  'media-bottom-margin-supported',
  'media-left-margin-supported',
  'media-right-margin-supported',
  'media-top-margin-supported',
]

export async function printerAttributes(step: PrinterStep, printer: Printer): Promise<Attributes> {
  const answer = await ask(step, printer, operations.getPrinterAttributes, {
    operation: { 'requested-attributes': words.keyword(...asked) },
  })
  const problem = refusalIn(printer, answer, step.clean)
  if (problem) throw problem
  const attributes = answer.groups.find(group => group.has('printer-state'))
  if (!attributes) throw unreachable(`${printer.name} does not say what state it is in`)
  return attributes
}

export const textIn = (attributes: Attributes, name: string): string | undefined => textsIn(attributes, name)[0]
export const textsIn = (attributes: Attributes, name: string): string[] =>
  (attributes.get(name) ?? []).filter(value => typeof value === 'string')
export const numberIn = (attributes: Attributes, name: string): number | undefined => numbersIn(attributes, name)[0]
export const numbersIn = (attributes: Attributes, name: string): number[] =>
  (attributes.get(name) ?? []).filter(value => typeof value === 'number')
export const firstIn = (attributes: Attributes, name: string): IppValue | undefined => attributes.get(name)?.[0]

const needs: [reason: string, words: string][] = [
  ['media-empty', 'has no paper'],
  ['media-needed', 'needs paper'],
  ['media-jam', 'has a paper jam'],
  ['cover-open', 'has an open cover'],
  ['door-open', 'has an open door'],
  ['interlock-open', 'has an open cover'],
  ['input-tray-missing', 'misses its paper tray'],
  ['output-tray-missing', 'misses its output tray'],
  ['output-area-full', 'has a full output tray'],
  ['marker-supply-empty', 'has no ink or ribbon left'],
  ['toner-empty', 'has no toner left'],
  ['marker-waste-full', 'has a full waste container'],
  ['fuser-over-temp', 'is too hot'],
  ['paused', 'is paused'],
  ['moving-to-paused', 'is paused'],
  ['shutdown', 'is shut down'],
  ['timed-out', 'does not reach its device'],
  ['offline', 'is offline'],
]

const STOPPED = 5

/**
 * What somebody must do at the printer before it prints, in words; null when it can print. Warnings and reports may tell of another
 * tray, or of what comes soon: they count once it has stopped, or where our own job does not go on (`isStuck`).
 */
export function needOf(attributes: Attributes, isStuck = false): string | null {
  const isStopped = numberIn(attributes, 'printer-state') === STOPPED
  const reasons = textsIn(attributes, 'printer-state-reasons').flatMap(reason => {
    const [, base = '', level] = /^([a-z0-9-]*?)(-error|-warning|-report)?$/.exec(reason) ?? []
    return isStopped || isStuck || level === undefined || level === '-error' ? base : []
  })
  const found = needs.filter(([reason]) => reasons.includes(reason)).map(([, words]) => words)
  if (found.length > 0) return [...new Set(found)].join(' and ')
  if (isStopped) return 'has stopped'
  if (firstIn(attributes, 'printer-is-accepting-jobs') === false) return 'takes no jobs'
  return null
}

/** It said itself that its paper is used up. */
export const isOutOfPaper = (attributes: Attributes): boolean =>
  textsIn(attributes, 'printer-state-reasons').some(reason => /^media-(empty|needed)(-|$)/.test(reason))

export interface Job {
  id: number
  name: string | undefined
  state: number
  reasons: string[]
  message: string | undefined
  documents: number | undefined
  sheets: number | undefined
}

const ofJob = words.keyword(
  'job-id',
  'job-name',
  'job-state',
  'job-state-reasons',
  'job-state-message',
  'number-of-documents',
  'job-media-sheets-completed',
)

function jobIn(attributes: Attributes): Job | null {
  const [id, state] = [numberIn(attributes, 'job-id'), numberIn(attributes, 'job-state')]
  if (id === undefined || state === undefined) return null
  return {
    id,
    state,
    name: textIn(attributes, 'job-name'),
    reasons: textsIn(attributes, 'job-state-reasons'),
    message: textIn(attributes, 'job-state-message'),
    documents: numberIn(attributes, 'number-of-documents'),
    sheets: numberIn(attributes, 'job-media-sheets-completed'),
  }
}

/** Null when the printer no longer knows the job. */
export async function readJob(step: PrinterStep, printer: Printer, id: number): Promise<Job | null> {
  const answer = await ask(step, printer, operations.getJobAttributes, {
    operation: { 'job-id': words.integer(id), 'requested-attributes': ofJob },
  })
  if (isUnknownJob(answer)) return null
  const problem = refusalIn(printer, answer, step.clean)
  if (problem) throw problem
  const job = answer.groups.map(jobIn).find(each => each !== null)
  if (!job || job.id !== id) throw unreachable(`${printer.name} does not say what became of job ${id}`)
  return job
}

/** The jobs of that name which the printer still knows, the latest first. */
export async function jobsNamed(step: PrinterStep, printer: Printer, name: string): Promise<Job[]> {
  const found = new Map<number, Job>()
  for (const which of ['not-completed', 'completed']) {
    const answer = await ask(step, printer, operations.getJobs, {
      operation: { limit: words.integer(MOST_JOBS), 'which-jobs': words.keyword(which), 'requested-attributes': ofJob },
    })
    const problem = refusalIn(printer, answer, step.clean)
    if (problem) throw problem
    for (const group of answer.groups) {
      const job = jobIn(group)
      if (job?.name === name) found.set(job.id, job)
    }
  }
  return [...found.values()].sort((one, other) => other.id - one.id)
}

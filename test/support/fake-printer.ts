// An IPP printer in this process that can lie, run out of paper, forget its jobs and know less than others.
import type { ServerResponse } from 'node:http'
import { decode, encodeGroups, type Sent } from '#adapters/printing/ipp-codec.ts'
import { operations, words } from '#adapters/printing/printer.ts'
import { type Received, startReceiver } from './https-receiver.ts'

interface FakeJob {
  id: number
  name: string
  state: number
  /** That came out so far. */
  sheets?: number
  document: Buffer | null
  attributes: ReadonlyMap<string, unknown[]>
}

export interface FakePrinter {
  uri: string
  jobs: FakeJob[]
  /** Jobs that came out. */
  printed(): FakeJob[]
  asked: number[]
  /** Attributes over the usual ones; an empty list takes one away. */
  attributes: Record<string, Sent[]>
  /** What becomes of a job that has its document: 9 unless told. */
  ends: number
  /** Answers in place of the right one. */
  lie: ((operation: number, right: Buffer, response: ServerResponse) => boolean) | null
  stop(): Promise<void>
}

const JOB = 0x02
const PRINTER = 0x04
const usual: Record<string, Sent[]> = {
  'printer-state': words.enumeration(3),
  'printer-state-reasons': words.keyword('none'),
  'printer-is-accepting-jobs': words.flag(true),
  'queued-job-count': words.integer(0),
  'operations-supported': [2, 5, 6, 8, 9, 10, 11].flatMap(words.enumeration),
  'document-format-supported': words.mime('image/jpeg'),
  'media-supported': words.keyword('na_index-4x6_4x6in', 'na_5x7_5x7in'),
  'media-ready': words.keyword('na_index-4x6_4x6in'),
  'media-col-supported': words.keyword(
    'media-size',
    'media-top-margin',
    'media-left-margin',
    'media-right-margin',
    'media-bottom-margin',
  ),
  'media-top-margin-supported': [0, 300].flatMap(words.integer),
  'media-left-margin-supported': [0, 300].flatMap(words.integer),
  'media-right-margin-supported': [0, 300].flatMap(words.integer),
  'media-bottom-margin-supported': [0, 300].flatMap(words.integer),
  'print-color-mode-supported': words.keyword('auto', 'color', 'monochrome'),
  'print-scaling-supported': words.keyword('fill', 'fit'),
  'job-creation-attributes-supported': words.keyword('copies', 'media-col', 'print-color-mode'),
}

export async function startFakePrinter(): Promise<FakePrinter> {
  const head: Record<string, Sent[]> = {
    'attributes-charset': [{ tag: 'charset', value: 'utf-8' }],
    'attributes-natural-language': [{ tag: 'language', value: 'en' }],
  }
  const reply = (code: number, ...groups: [number, Record<string, Sent[]>][]) =>
    encodeGroups(code, 1, [[1, head], ...groups])
  const told = ({
    id,
    name,
    state,
    document,
    sheets = state === 9 ? 1 : 0,
  }: FakeJob): [number, Record<string, Sent[]>] => [
    JOB,
    {
      'job-id': words.integer(id),
      'job-name': words.name(name),
      'job-state': words.enumeration(state),
      'job-state-reasons': words.keyword('none'),
      'number-of-documents': words.integer(document ? 1 : 0),
      'job-media-sheets-completed': words.integer(sheets),
    },
  ]
  function make(request: ReturnType<typeof decode>): FakeJob {
    const job = {
      id: printer.jobs.length + 1,
      name: String(request.operation.get('job-name')?.[0]),
      state: 4,
      document: null,
      attributes: request.groups[0] ?? new Map(),
    }
    printer.jobs.push(job)
    return job
  }
  function answer({ body }: Received, response: ServerResponse): void {
    const request = decode(body)
    const job = printer.jobs.find(({ id }) => id === request.operation.get('job-id')?.[0])
    printer.asked.push(request.code)
    const right = answerTo(request, job, body)
    if (printer.lie?.(request.code, right, response)) return
    response.writeHead(200, { 'content-type': 'application/ipp' }).end(right)
  }
  function answerTo(request: ReturnType<typeof decode>, job: FakeJob | undefined, body: Buffer): Buffer {
    const document = body.subarray(body.indexOf(Buffer.from([0xff, 0xd8])))
    if (request.code === operations.getPrinterAttributes) {
      const all = Object.entries({ ...usual, ...printer.attributes }).filter(([, values]) => values.length > 0)
      return reply(0, [PRINTER, Object.fromEntries(all)])
    }
    if (request.code === operations.getJobs) {
      const isDone = request.operation.get('which-jobs')?.[0] === 'completed'
      return reply(0, ...printer.jobs.filter(({ state }) => state >= 7 === isDone).map(told))
    }
    if (request.code === operations.createJob) return reply(0, told(make(request)))
    if (request.code === operations.printJob) {
      const made = Object.assign(make(request), { document, state: printer.ends })
      return reply(0, told(made))
    }
    if (!job) return reply(0x0406)
    if (request.code === operations.sendDocument) {
      if (job.document || job.state >= 7) return reply(0x0404)
      Object.assign(job, { document, state: printer.ends })
    }
    if (request.code === operations.cancelJob) {
      if (job.state >= 7) return reply(0x0404)
      job.state = 7
    }
    return reply(0, told(job))
  }
  const receiver = await startReceiver({ answer })
  const printer: FakePrinter = {
    uri: `ipp://127.0.0.1:${receiver.port}/ipp/print`,
    jobs: [],
    printed: () => printer.jobs.filter(({ document, state }) => document && state === 9),
    asked: [],
    attributes: {},
    ends: 9,
    lie: null,
    stop: receiver.stop,
  }
  return printer
}

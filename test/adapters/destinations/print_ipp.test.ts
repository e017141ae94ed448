// print_ipp against the printer of CUPS: the contract of destinations; and against one that lies, for everything else.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, suite, test } from 'node:test'
import sharp from 'sharp'
import { printIpp } from '#adapters/destinations/print_ipp.ts'
import { encodeGroups } from '#adapters/printing/ipp-codec.ts'
import { operations, webUrl, words } from '#adapters/printing/printer.ts'
import { isProblem, type Problem } from '#kit/errors.ts'
import type { JsonObject } from '#kit/json.ts'
import type { MediaFile } from '#media/file/file.ts'
import { destinationContract } from '../../contract/destination.ts'
import { noisyPicture, printBed } from '../../support/beds.ts'
import { cleanUp } from '../../support/clean-up.ts'
import { checkpointOf, newRolls, type StepOptions, stepFor, type TestStep } from '../../support/delivery.ts'
import { type FakePrinter, startFakePrinter } from '../../support/fake-printer.ts'
import { startEvePrinter } from '../../support/ippeve-printer.ts'
import { until } from '../../support/until.ts'

destinationContract('print_ipp', printBed, {
  afterLostAnswer: 'one',
  refusals: [
    {
      title: 'a medium that the printer does not know',
      with: () => ({ options: { media: 'iso_a3_297x420mm' } }),
      says: /does not know the medium iso_a3_297x420mm; it knows na_index-4x6_4x6in/,
    },
  ],
  retracts: false,
  large: false,
  resumes: false,
  made: noisyPicture,
})

suite('print_ipp and a printer of any mood', () => {
  let folder: string
  let one: FakePrinter
  let two: FakePrinter
  let file: MediaFile
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keepsake-print-'))
    ;[one, two] = await Promise.all([startFakePrinter(), startFakePrinter()])
    file = await noisyPicture(folder)
  })
  after(() =>
    cleanUp(
      () => one.stop(),
      () => two.stop(),
      () => rm(folder, { recursive: true, force: true }),
    ),
  )
  afterEach(() => {
    for (const printer of [one, two])
      Object.assign(printer, { jobs: [], asked: [], attributes: {}, ends: 9, lie: null })
  })

  const step = (options: JsonObject = {}, given: Partial<StepOptions> = {}): TestStep =>
    stepFor(printIpp, { ...given, options: { printers: [one.uri], wait: 3, ...options } })
  async function problemOf(work: Promise<unknown>): Promise<Problem> {
    const error = await work.then(
      () => assert.fail('it was printed'),
      (error: unknown) => error,
    )
    if (!isProblem(error)) throw error
    return error
  }

  test('an address without a port is that of port 631', () => {
    assert.equal(webUrl('ipp://printer.example/ipp/print'), 'http://printer.example:631/ipp/print')
    assert.equal(webUrl('ipps://[::1]/ipp'), 'https://[::1]:631/ipp')
    assert.equal(webUrl('ipps://printer.example:443/ipp'), 'https://printer.example/ipp')
  })

  test('a certificate that a printer made for itself is trusted by its fingerprint, and by no other', async t => {
    const printer = await startEvePrinter()
    if (!printer) return t.skip('the printer of CUPS is not installed')
    try {
      const printers = [printer.uri.replace('ipp:', 'ipps:')]
      let message = ''
      // It makes its certificate when it is first asked for one, which takes seconds on a busy machine.
      const listed = await until('it shows its certificate', async () => {
        ;({ message } = await problemOf(printIpp.deliver(file, step({ printers }))))
        return /self-signed, and its fingerprint ([0-9A-F:]{95}) is not listed/.exec(message)?.[1]
      }).catch(error => assert.fail(`${error.message}; it was ${message}`))
      const other = listed.replace(/^../, listed.startsWith('00') ? '01' : '00')
      const wrong = await problemOf(printIpp.deliver(file, step({ printers, certificates: [other] })))
      assert.match(wrong.message, /is not listed/)
      assert.deepEqual(printer.printed(), [])
      const certificates = [other, listed.toLowerCase()]
      await printIpp.deliver(file, step({ printers, certificates }))
      assert.deepEqual(printer.printed(), ['keepsake-0192-test-0'])
    } finally {
      await printer.stop()
    }
  })

  test('a wide picture is turned and fills the page to the edges, in the size of the medium', async () => {
    await printIpp.deliver(file, step({ copies: 1 }))
    const [job] = one.printed()
    const { width, height, format } = await sharp(job?.document as Buffer).metadata()
    assert.deepEqual([width, height, format], [1200, 1800, 'jpeg'])
    const margins = ['top', 'left', 'right', 'bottom'].map(side => [`media-${side}-margin`, [0]])
    assert.deepEqual(
      { ...(job?.attributes.get('media-col')?.[0] as object) },
      {
        'media-size': [Object.assign(Object.create(null), { 'x-dimension': [10160], 'y-dimension': [15240] })],
        ...Object.fromEntries(margins),
      },
    )
    assert.deepEqual(job?.attributes.get('print-color-mode'), ['auto'])
    assert.equal(job?.name, 'keepsake-0192-test-0')
  })

  test('without borderless it lies inside the margins, and a warning says so where it was wanted', async () => {
    one.attributes = { 'media-top-margin-supported': words.integer(300) }
    const inside = step()
    await printIpp.deliver(file, inside)
    assert.match(inside.heard.warnings.join(), /cannot print to the edges/)
    const { height } = await sharp(one.printed()[0]?.document as Buffer).metadata()
    assert.equal(height, Math.round(((15240 - 300) / 2540) * 300))
  })

  const needs: [reasons: string[], state: number, says: RegExp][] = [
    [['media-empty'], 3, /has no paper\. It goes on by itself\.$/],
    [['media-jam-error', 'door-open-error'], 5, /has a paper jam and has an open door/],
    [['media-empty-warning'], 5, /has no paper/],
    [['paused'], 5, /is paused/],
    [['none'], 5, /has stopped/],
  ]
  for (const [reasons, state, says] of needs)
    test(`${reasons.join()} in state ${state}: the delivery waits and says so, and the check too`, async () => {
      one.attributes = { 'printer-state': words.enumeration(state), 'printer-state-reasons': words.keyword(...reasons) }
      const problem = await problemOf(printIpp.deliver(file, step()))
      assert.deepEqual([problem.code, problem.retryAfterSeconds], ['destination_quota', 3])
      assert.match(problem.message, says)
      const lines = await Array.fromAsync(printIpp.check!(step()))
      assert.ok(lines.some(({ ok, detail }) => !ok && says.test(detail)))
      assert.equal(one.jobs.length, 0)
    })

  test('paper that runs out in the middle: the job waits at the printer, and is not sent again', async () => {
    one.ends = 6
    const first = step()
    const rolls = newRolls()
    assert.match((await problemOf(printIpp.deliver(file, first))).message, /has stopped the job\. Job 1 waits there/)
    for (const job of one.jobs) job.state = 9
    const result = await printIpp.deliver(file, step({}, { checkpoint: checkpointOf(first), rolls }))
    assert.equal(result.job_id, 1)
    assert.equal(one.jobs.length, 1)
  })

  test('printers take turns by what waits there; one that is stopped or dead is passed over', async () => {
    one.attributes = { 'queued-job-count': words.integer(2) }
    const both = { printers: [one.uri, two.uri, 'ipp://127.0.0.1:1/'] }
    assert.equal((await printIpp.deliver(file, step(both))).printer, two.uri)
    two.attributes = { 'printer-state': words.enumeration(5) }
    assert.equal((await printIpp.deliver(file, step(both))).printer, one.uri)
    one.attributes = { 'printer-state': words.enumeration(5) }
    const problem = await problemOf(printIpp.deliver(file, step(both)))
    assert.match(problem.message, /^No printer can print now: The printer .+ has stopped.+; .+; Could not connect/)
    assert.equal(problem.fault, 'quota')
  })

  test('a roll that is used up makes it wait until it is changed', async () => {
    const used = new Map([[one.uri, 9]])
    const given = { rolls: newRolls(used) }
    await printIpp.deliver(file, step({ prints_per_roll: 10 }, given))
    const problem = await problemOf(printIpp.deliver(file, step({ prints_per_roll: 10 }, given)))
    assert.match(problem.message, /has used up its roll\. Change it and report it as changed/)
    assert.equal(problem.fault, 'quota')
    used.clear()
    await printIpp.deliver(file, step({ prints_per_roll: 10 }, given))
    assert.equal(one.printed().length, 2)
  })

  test('a printer without Create-Job gets job and document together, and a doubt is cleared by the name', async () => {
    one.attributes = { 'operations-supported': [2, 8, 9, 10, 11].flatMap(words.enumeration) }
    one.lie = (operation, _right, response) => operation === operations.printJob && !!response.destroy()
    const lost = step()
    assert.equal((await problemOf(printIpp.deliver(file, lost))).code, 'destination_unreachable')
    one.lie = null
    await printIpp.deliver(file, step({}, { checkpoint: checkpointOf(lost) }))
    assert.equal(one.jobs.length, 1)
    const old = { ...checkpointOf(lost), at: Date.now() - 120_000 }
    one.jobs = []
    assert.equal((await problemOf(printIpp.deliver(file, step({}, { checkpoint: old })))).code, 'outcome_unknown')
    assert.equal(one.jobs.length, 0)
  })

  test('a job that was made and got no document is taken away, and printed once', async () => {
    one.lie = (operation, _right, response) => operation === operations.createJob && !!response.destroy()
    const lost = step()
    await problemOf(printIpp.deliver(file, lost))
    one.lie = null
    await printIpp.deliver(file, step({}, { checkpoint: checkpointOf(lost) }))
    assert.deepEqual(
      one.jobs.map(({ state }) => state),
      [7, 9],
    )
  })

  test('a printer that has the job and does not answer is waited for, not passed over', async () => {
    one.ends = 5
    one.lie = (operation, _right, response) => operation === operations.getJobAttributes && !!response.destroy()
    const problem = await problemOf(printIpp.deliver(file, step({ printers: [one.uri, two.uri] })))
    assert.equal(problem.fault, 'quota')
    assert.match(problem.message, /may have the job and does not answer now/)
    assert.equal(two.jobs.length, 0)
  })

  for (const [state, says] of [
    [7, /^Job 1 was cancelled at the printer/],
    [8, /aborted job 1/],
  ] as const)
    test(`a job that ends in state ${state} fails with a sentence`, async () => {
      one.ends = state
      const problem = await problemOf(printIpp.deliver(file, step()))
      assert.equal(problem.code, 'destination_refused')
      assert.match(problem.message, says)
    })

  test('a job that a printer drops because its picture broke off is sent again, whole', async () => {
    one.jobs.push({ id: 1, name: 'x', state: 5, document: Buffer.of(1), attributes: new Map() })
    one.lie = (operation, right, response) => {
      if (operation !== operations.getJobAttributes) return false
      // It is still at work when it is looked for, and has dropped it a moment later.
      response.end(right)
      for (const job of one.jobs) if (job.id === 1) job.state = 8
      return true
    }
    const cut = step({}, { checkpoint: { printer: one.uri, job: 1 } })
    const problem = await problemOf(printIpp.deliver(file, cut))
    assert.equal(problem.code, 'destination_unreachable')
    assert.match(problem.message, /dropped job 1, whose picture had not arrived whole/)
    one.lie = null
    const result = await printIpp.deliver(file, step({}, { checkpoint: checkpointOf(cut) }))
    assert.equal(result.job_id, 2)
    assert.equal(one.printed().length, 1)
  })

  test('a job without an end is given up', async () => {
    one.ends = 5
    const checkpoint = { printer: one.uri, job: 1, sent: true, since: Date.now() - 10_000 }
    one.jobs.push({ id: 1, name: 'x', state: 5, document: Buffer.of(1), attributes: new Map() })
    const problem = await problemOf(printIpp.deliver(file, step({ job_seconds: 5 }, { checkpoint })))
    assert.equal(problem.code, 'outcome_unknown')
    assert.match(problem.message, /has worked on job 1 for more than 5 s without an end/)
    await printIpp.abandon?.(step({}, { checkpoint }))
    assert.equal(one.jobs[0]?.state, 7)
  })

  test('a print that was noted and not yet settled is settled by the next attempt, or when it is given up', async () => {
    const checkpoint = { printer: one.uri, job: 1, result: { job_id: 1 } }
    for (const go of [printIpp.deliver.bind(null, file), printIpp.abandon?.bind(printIpp)]) {
      const used = new Map<string, number>()
      const rolls = newRolls(used)
      assert.ok(await rolls.take(one.uri, 1, null))
      await go?.(step({}, { checkpoint, rolls }))
      await rolls.giveBack()
      assert.equal(used.get(one.uri), 1, 'it stays counted and is known no longer')
    }
    assert.deepEqual(one.jobs, [])
  })

  for (const [state, sheets, kept] of [
    [3, 1, {}],
    [6, 0, {}],
    [5, 1, { hasSheets: true }],
  ] as const)
    test(`a job that is cancelled in state ${state} leaves it to the next run to print, and says what may lie there`, async () => {
      one.jobs.push({ id: 1, name: 'x', state, document: Buffer.of(1), attributes: new Map(), sheets })
      const given = step({}, { checkpoint: { printer: one.uri, job: 1, sent: true } })
      await printIpp.abandon?.(given)
      assert.deepEqual([one.jobs[0]?.state, checkpointOf(given)], [7, kept])
      const again = await printIpp.deliver(file, step({}, { checkpoint: checkpointOf(given) }))
      assert.equal(again.job_id, 2)
    })

  test('a print that was counted and not sent is given back', async () => {
    const used = new Map<string, number>()
    const rolls = newRolls(used)
    assert.ok(await rolls.take(one.uri, 1, null))
    await printIpp.abandon?.(step({}, { rolls }))
    assert.equal(used.get(one.uri), 0)
  })

  const refusals: [string, FakePrinter['attributes'], JsonObject, RegExp][] = [
    ['no JPEG', { 'document-format-supported': words.mime('image/urf') }, {}, /does not take JPEG files/],
    [
      'no colour',
      { 'print-color-mode-supported': words.keyword('monochrome') },
      { color: 'color' },
      /prints no colour/,
    ],
    ['copies', {}, { copies: 2 }, /prints at most 1 copies/],
    ['no medium', { 'media-ready': [] }, {}, /does not say what medium it has/],
    [
      'a size that cannot be',
      { 'media-ready': words.keyword('custom_9999x1mm'), 'media-supported': [] },
      {},
      /does not say how large/,
    ],
  ]
  for (const [title, attributes, options, says] of refusals)
    test(`what the printer cannot do fails at once: ${title}`, async () => {
      one.attributes = attributes
      const problem = await problemOf(printIpp.deliver(file, step(options)))
      assert.match(problem.message, says)
      assert.equal(problem.fault, 'destination')
    })

  test('another medium than the one that is in must be put in first', async () => {
    const problem = await problemOf(printIpp.deliver(file, step({ media: 'na_5x7_5x7in' })))
    assert.equal(problem.fault, 'quota')
    assert.match(problem.message, /has na_index-4x6_4x6in in, and na_5x7_5x7in is needed/)
  })

  const bytes = (length: number) => Buffer.alloc(length, 0x21)
  const lies: [string, (right: Buffer) => Buffer][] = [
    ['nothing', () => Buffer.alloc(0)],
    ['half of it', right => right.subarray(0, right.length / 2)],
    ['no IPP', () => Buffer.from('<html>hello, this is a web page</html>')],
    [
      'a value of 64 KiB that is not there',
      right => Buffer.concat([right.subarray(0, 8), Buffer.of(1, 0x44, 0, 1, 65, 255, 255)]),
    ],
    [
      'values without an attribute',
      right => Buffer.concat([right.subarray(0, 8), Buffer.of(1), bytes(5), Buffer.of(3)]),
    ],
    [
      'an integer of two bytes',
      right => Buffer.concat([right.subarray(0, 8), Buffer.of(1, 0x21, 0, 1, 65, 0, 2, 0, 0, 3)]),
    ],
    [
      'collections in collections',
      right =>
        Buffer.concat([
          right.subarray(0, 8),
          Buffer.of(4, 0x34, 0, 1, 65, 0, 0),
          ...Array.from({ length: 50 }, () => Buffer.of(0x4a, 0, 0, 0, 1, 65, 0x34, 0, 0, 0, 0)),
        ]),
    ],
    ['groups without number', right => Buffer.concat([right.subarray(0, 8), Buffer.alloc(100_000, 4), Buffer.of(3)])],
    ['more than 4 MiB', right => Buffer.concat([right.subarray(0, 8), Buffer.alloc(5 * 1024 ** 2, 4)])],
    [
      'no state',
      () =>
        encodeGroups(0, 1, [
          [1, {}],
          [4, {}],
        ]),
    ],
  ]
  for (const [title, lie] of lies)
    test(`an answer that is a lie gets a sentence: ${title}`, async () => {
      one.lie = (_operation, right, response) => !!response.end(lie(right))
      const problem = await problemOf(printIpp.deliver(file, step()))
      assert.equal(problem.code, 'destination_unreachable')
      assert.match(
        problem.message,
        /^The printer 127\.0\.0\.1:\d+ (gave an answer that cannot be read|did not finish|does not say)/,
      )
    })
})

// message_send against Twilio's protocol and a gateway: the contract of destinations, and every option of its own.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, suite, test } from 'node:test'
import { quietFor } from '#adapters/delivery/quiet-hours.ts'
import { messageSend } from '#adapters/destinations/message_send.ts'
import { cancellation, isProblem, type Problem } from '#kit/errors.ts'
import type { JsonObject } from '#kit/json.ts'
import { newOutbound } from '#kit/net/outbound.ts'
import { schemaErrors, withDefaults } from '#kit/schema.ts'
import type { MediaFile } from '#media/file/file.ts'
import { destinationContract } from '../../contract/destination.ts'
import { messageBed } from '../../support/beds.ts'
import { cleanUp } from '../../support/clean-up.ts'
import { checkpointOf, randomFile, type StepOptions, stepFor, type TestStep } from '../../support/delivery.ts'
import { type Receiver, startReceiver } from '../../support/https-receiver.ts'
import { startTwilio, type TwilioFake, twilioAuth } from '../../support/twilio.ts'

destinationContract('message_send', messageBed, {
  afterLostAnswer: 'one',
  refusals: [
    {
      title: 'a wrong token',
      with: () => ({ auth: { ...twilioAuth, auth_token: 'another-token' } }),
      says: /^Twilio refused our credentials \(401\)/,
    },
  ],
  retracts: false,
  large: false,
  resumes: false,
  made: folder => randomFile(folder, 100),
  isShort: true,
})

suite('message_send', () => {
  let twilio: TwilioFake
  let gateway: Receiver
  let folder: string
  let file: MediaFile
  let status = 200
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keepsake-message-'))
    twilio = await startTwilio()
    gateway = await startReceiver({ answer: (_request, response) => void response.writeHead(status).end('well') })
    file = await randomFile(folder, 10)
  })
  after(() =>
    cleanUp(
      () => twilio.stop(),
      () => gateway.stop(),
      () => rm(folder, { recursive: true, force: true }),
    ),
  )
  afterEach(() => {
    twilio.messages.length = 0
    gateway.received.length = 0
    status = 200
  })
  const step = (options: JsonObject = {}, given: Partial<StepOptions> = {}): TestStep =>
    stepFor(messageSend, {
      auth: twilioAuth,
      ...given,
      options: {
        to: '+49 (151) 123-456.78',
        from: '+15017122661',
        text: 'Look: https://x.example/1',
        api_base_url: twilio.url,
        ...options,
      },
    })
  async function problemOf(work: Promise<unknown>): Promise<Problem> {
    const error = await work.then(
      () => assert.fail('it was sent'),
      (error: unknown) => error,
    )
    if (!isProblem(error)) throw error
    return error
  }

  test('a number as people write it is sent to, by SMS and by WhatsApp', async () => {
    const result = await messageSend.deliver(file, step())
    assert.equal(result.to, '+4915112345678')
    await messageSend.deliver(file, step({ channel: 'whatsapp' }))
    const sent = twilio.messages.map(({ to, from }) => [to, from])
    assert.deepEqual(sent, [
      ['+4915112345678', '+15017122661'],
      ['whatsapp:+4915112345678', 'whatsapp:+15017122661'],
    ])
  })

  for (const to of ['015112345678', '+0151123456', '+49151', 'hello', '+4915112345678901234', ''])
    test(`"${to}" is no phone number`, async () => {
      const problem = await problemOf(messageSend.deliver(file, step({ to })))
      assert.match(problem.message, /^to (must be a phone number|holds no phone number)/)
    })

  test('who has opted out gets nothing, and a sentence says so', async () => {
    const problem = await problemOf(messageSend.deliver(file, step({ to: '+49150000000' })))
    assert.equal(problem.code, 'destination_refused')
    assert.match(problem.message, /^This number has opted out of messages, so none was sent: Attempt to send/)
  })

  test('429 waits as long as Twilio asks; 5xx leaves a doubt that the list of messages clears', async () => {
    twilio.troubles.push({ status: 429, headers: { 'retry-after': '7' } })
    const busy = await problemOf(messageSend.deliver(file, step()))
    assert.deepEqual([busy.code, busy.retryAfterSeconds], ['destination_quota', 7])
    twilio.troubles.push({ status: 503 })
    const broken = step()
    assert.equal((await problemOf(messageSend.deliver(file, broken))).code, 'destination_unreachable')
    const soon = await problemOf(messageSend.deliver(file, step({}, { checkpoint: checkpointOf(broken) })))
    assert.match(soon.message, /^Twilio may have the message/)
    const later = { at: Date.now() - 30_000 }
    await messageSend.deliver(file, step({}, { checkpoint: later }))
    await messageSend.deliver(file, step({}, { checkpoint: later }))
    assert.equal(twilio.messages.length, 1, 'the second finds the first')
  })

  test('a message in doubt is looked for as it was sent, though number and text are others by now', async () => {
    twilio.troubles.push({ status: 503, takes: true })
    const first = step({ channel: 'whatsapp' })
    assert.equal((await problemOf(messageSend.deliver(file, first))).code, 'destination_unreachable')
    for (const to of ['+4915187654321', '']) {
      const now = { channel: 'whatsapp', to, text: 'Look: https://x.example/2' }
      const result = await messageSend.deliver(file, step(now, { checkpoint: checkpointOf(first) }))
      assert.deepEqual([result.to, twilio.messages.length], ['+4915112345678', 1])
    }
  })

  test('a header that a gateway could not carry keeps nobody from a message by Twilio', async () => {
    const headers = { 'x-guest': 'Łukasz' }
    await messageSend.deliver(file, step({ headers }))
    assert.equal(twilio.messages.length, 1)
    const problem = await problemOf(messageSend.deliver(file, step({ headers, provider: 'http', url: gateway.url })))
    assert.match(problem.message, /^headers\.x-guest holds characters/)
  })

  test('a gateway gets the fields as it wants them, with the marker as its key', async () => {
    const http = { provider: 'http', url: `${gateway.url}/send`, headers: { 'x-event': 'party' } }
    await messageSend.deliver(
      file,
      step({ ...http, body: { n: '$to', m: '$text $marker' } }, { auth: { bearer: 'secret-bearer' } }),
    )
    await messageSend.deliver(file, step({ ...http, body_format: 'form' }))
    const [json, form] = gateway.received
    assert.deepEqual(JSON.parse(String(json?.body)), {
      n: '+4915112345678',
      m: 'Look: https://x.example/1 0192-test-0',
    })
    assert.deepEqual(
      [json?.headers['idempotency-key'], json?.headers.authorization],
      ['0192-test-0', 'Bearer secret-bearer'],
    )
    assert.equal(
      String(form?.body),
      new URLSearchParams({ to: '+4915112345678', text: 'Look: https://x.example/1' }).toString(),
    )
  })

  test('the check reaches no gateway whose name leads inside, as no message does', async () => {
    const inside = newOutbound({ allowHosts: [], resolve: async () => [{ address: '127.0.0.1', family: 4 }] })
    const lineOf = async (url: string, outbound?: TestStep['outbound']) => {
      const asked = step({ provider: 'http', url })
      const lines = []
      for await (const line of messageSend.check!(outbound ? { ...asked, outbound } : asked)) lines.push(line)
      return lines[0]
    }
    const refused = await lineOf('https://gateway.example/send', inside)
    assert.equal(refused?.ok, false)
    assert.match(refused?.detail ?? '', /may not be reached/)
    assert.deepEqual(await lineOf(gateway.url), { ok: true, what: 'Address', detail: 'The gateway can be reached.' })
    assert.equal(gateway.received.length, 0)
    await inside.close()
  })

  test('a gateway that knows no keys leaves a doubt; one that does is asked again', async () => {
    status = 503
    const http = { provider: 'http', url: gateway.url }
    const doubtful = step(http)
    const doubt = await problemOf(messageSend.deliver(file, doubtful))
    assert.equal(doubt.code, 'outcome_unknown')
    assert.match(doubt.message, /^What the gateway answered does not say whether .* The answer: .*\(503\): well$/)
    const asked = gateway.received.length
    const again = await problemOf(messageSend.deliver(file, { ...doubtful, checkpoint: { sending: true } }))
    assert.deepEqual([again.code, gateway.received.length], ['outcome_unknown', asked], 'it is sent once at most')
    assert.equal(
      (await problemOf(messageSend.deliver(file, step({ ...http, idempotent: true })))).code,
      'destination_unreachable',
    )
    status = 422
    assert.match(
      (await problemOf(messageSend.deliver(file, step(http)))).message,
      /^The gateway refused the file \(422\): well$/,
    )
  })

  test('a gateway that took the message has taken it, though its words are cut off', async t => {
    const short = await startReceiver({
      raw(_request, response) {
        response.writeHead(200, { 'content-length': 100 })
        response.write('we', () => response.destroy())
      },
    })
    t.after(() => short.stop())
    const one = step({ provider: 'http', url: short.url })
    const { status: told } = await messageSend.deliver(file, one)
    assert.equal(told, '200')
  })

  test('a quiet hour that is none is told in words', () => {
    const wrong = { text: 'x', quiet_hours: { from: '25:00', to: '08:00' } }
    const [error] = schemaErrors(messageSend.options, withDefaults(messageSend.options, wrong))
    assert.deepEqual(error, {
      field: 'quiet_hours.from',
      message: 'must be a time of day as HH:MM, like 22:00, not "25:00"',
      kind: 'wrong',
    })
  })

  test('quiet hours are waited for, in their time zone and over midnight', async () => {
    const at = (time: string) => new Date(`2026-01-10T${time}Z`)
    const night = { from: '22:00', to: '08:00' }
    assert.equal(quietFor(night, 'UTC', at('21:59:59')), 0)
    assert.equal(quietFor(night, 'UTC', at('22:00:00')), 10 * 3600)
    assert.equal(quietFor(night, 'UTC', at('07:59:30')), 30)
    assert.equal(quietFor(night, 'UTC', at('08:00:00')), 0)
    assert.equal(quietFor(night, 'Europe/Berlin', at('21:00:00')), 10 * 3600)
    assert.equal(quietFor({ from: '13:00', to: '14:00' }, 'UTC', at('13:30:00')), 1800)
    // In Berlin the clocks go from 2 to 3 in March and from 3 to 2 in October.
    const hours = (of: { from: string; to: string }, now: string) => quietFor(of, 'Europe/Berlin', new Date(now)) / 3600
    assert.equal(hours(night, '2026-03-28T22:00:00Z'), 8)
    assert.equal(hours(night, '2026-10-24T21:00:00Z'), 10)
    assert.equal(hours({ from: '22:00', to: '03:00' }, '2026-10-25T00:45:00Z'), 1.25)
    assert.equal(hours({ from: '22:00', to: '02:30' }, '2026-03-29T00:30:00Z'), 1, 'there is no 02:30')
    assert.equal(hours({ from: '22:00', to: '02:30' }, '2026-03-29T01:00:00Z'), 0)
    const now = new Date()
    const clock = (hours: number) => new Date(now.getTime() + hours * 3_600_000).toISOString().slice(11, 16)
    const quiet_hours = { from: clock(-1), to: clock(1) }
    const problem = await problemOf(messageSend.deliver(file, step({ quiet_hours })))
    assert.equal(problem.fault, 'quota')
    assert.ok((problem.retryAfterSeconds ?? 0) > 3000)
    assert.equal(twilio.messages.length, 0)
  })

  test('without a time zone of its own the quiet hours are those where the experience is', async () => {
    // Twelve hours from UTC it is never the same part of the day.
    const clock = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16)
    const quiet_hours = { from: clock(11), to: clock(13) }
    const there = { timeZone: 'Etc/GMT-12' }
    const problem = await problemOf(messageSend.deliver(file, step({ quiet_hours }, there)))
    assert.match(problem.message, /\(Etc\/GMT-12\); the message waits\.$/)
    assert.equal(twilio.messages.length, 0)
    await messageSend.deliver(file, step({ quiet_hours, time_zone: 'UTC' }, there))
    await messageSend.deliver(file, step({ quiet_hours }))
    assert.equal(twilio.messages.length, 2)
  })

  test('quiet hours hold after a failed attempt too', async () => {
    const clock = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16)
    const quiet_hours = { from: clock(-1), to: clock(1) }
    const http = { provider: 'http', url: gateway.url }
    for (const [options, checkpoint] of [
      [{}, {}],
      [{}, { at: Date.now() - 30_000 }],
      [http, { sending: false }],
      [{ ...http, idempotent: true }, null],
    ] as [JsonObject, JsonObject | null][]) {
      const problem = await problemOf(messageSend.deliver(file, step({ ...options, quiet_hours }, { checkpoint })))
      assert.match(problem.message, /^The quiet hours last until /)
    }
    assert.deepEqual([twilio.messages.length, gateway.received.length], [0, 0])
    const done = { to: '+4915112345678', message_id: '', status: '200' }
    const after = step({ ...http, quiet_hours }, { checkpoint: { sending: false, result: done } })
    assert.deepEqual(await messageSend.deliver(file, after), done, 'what was sent is not held back')
  })

  test('cancelled in the middle of a request it may have arrived, so it is not sent again unseen', async () => {
    const asked: Array<() => void> = []
    const held = await startReceiver({ answer: () => asked.shift()?.() })
    try {
      for (const [options, code, kept] of [
        [{ provider: 'http', url: held.url }, 'outcome_unknown', 'sending'],
        [{ api_base_url: held.url }, 'cancelled', 'at'],
      ] as const) {
        const cancel = new AbortController()
        asked.push(() => cancel.abort(cancellation()))
        const one = step(options, { signal: cancel.signal })
        assert.equal((await problemOf(messageSend.deliver(file, one))).code, code)
        assert.ok(checkpointOf(one)?.[kept], `${kept} is noted`)
      }
    } finally {
      await held.stop()
    }
  })

  test('a header that cannot be sent is told by its name, and nothing is in doubt', async () => {
    const http = { provider: 'http', url: gateway.url, headers: { 'x-guest': 'Łukasz' } }
    const problem = await problemOf(messageSend.deliver(file, step(http)))
    assert.deepEqual(
      [problem.code, problem.message],
      ['bad_options', 'headers.x-guest holds characters that headers cannot carry.'],
    )
    assert.equal(gateway.received.length, 0)
  })

  test('options that do not go together are told before anything runs', () => {
    const review = (options: JsonObject) =>
      messageSend.review?.({ ...step().options, ...options }, new Set()).map(({ field }) => field)
    assert.deepEqual(review({}), [])
    assert.deepEqual(review({ provider: 'http' }), ['provider'])
    assert.deepEqual(review({ time_zone: 'Europe/Berlin' }), [])
    assert.deepEqual(review({ time_zone: 'Mars/North' }), ['time_zone'])
    assert.deepEqual(review({ to: '123' }), ['to'])
    assert.deepEqual(review({ headers: { Host: 'x' } }), ['headers'])
  })
})

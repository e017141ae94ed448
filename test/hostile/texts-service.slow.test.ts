// The same texts through the whole service, with a token that may do little: others are served as if nothing were.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Answer } from '../support/client.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'

/** The API and the worker are this very process; media children are not, and are seen by how long it takes in all. */
interface Cost {
  /** Milliseconds of processor time. */
  here: number
  /** Milliseconds. */
  inAll: number
}

/** Below this nothing is said: other processes of the machine work, too. */
const FLOOR: Cost = { here: 400, inAll: 30_000 }

const parts = ['here', 'inAll'] as const
const isMuch = (cost: Cost, harmless: Cost): boolean =>
  parts.some(part => cost[part] > FLOOR[part] && cost[part] > 5 * harmless[part])
const least = (a: Cost, b: Cost): Cost => ({ here: Math.min(a.here, b.here), inAll: Math.min(a.inAll, b.inAll) })
const most = (a: Cost, b: Cost): Cost => ({ here: Math.max(a.here, b.here), inAll: Math.max(a.inAll, b.inAll) })

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const [start, begun] = [process.cpuUsage(), performance.now()]
  await work()
  const { user, system } = process.cpuUsage(start)
  return { here: (user + system) / 1000, inAll: performance.now() - begun }
}

describe('texts that are made to cost much', () => {
  let keepsake: Keepsake
  let data: Blob
  let token: string

  before(async () => {
    keepsake = await startKeepsake()
    data = new Blob([new Uint8Array(await png(pattern(320, 240, 3)))])
    const defaults = { url: 'http://127.0.0.1:9/', delivery_attempts: 1 }
    const mail = {
      auth: { host: '127.0.0.1', port: 9, from: 'a@example.org' },
      defaults: { to: 'b@example.org', subject: 'Hello', delivery_attempts: 1 },
    }
    await keepsake.configure(single('text', 'photo_add_text', { text: 'x' }))
    await keepsake.configure(single('frame', 'photo_compositor', { layers: [] }))
    await keepsake.configure(single('post', 'http_post', defaults))
    await keepsake.configure(single('mail', 'email_send', {}, { adapter_config: mail }))
    await keepsake.configure({ ...single('neighbour', 'photo_flip', { method: 'ROTATE_180' }), experience_id: 'next' })
    const made = await keepsake.client.post('/api/token/', { name: 'booth', scopes: ['tasks'], experiences: ['park'] })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    token = made.body.token
    await round('text', { text: 'warm' })
  })
  after(() => keepsake.stop())

  const asBooth = () => ({ authorization: `Bearer ${token}` })

  async function task(configuration_name: string, extras: object): Promise<void> {
    const parts = { configuration_name, data, extras: JSON.stringify(extras) }
    const { status, body } = await keepsake.send('/api/task/', parts, asBooth())
    assert.ok(status === 202 || status === 400, JSON.stringify(body))
    if (status === 202) await keepsake.ended(`/api/task/${body.task_id}/`)
  }

  const preview = (configuration: string, extras: object): Promise<Answer> =>
    keepsake.send(`/api/configuration/${configuration}/preview/`, { data, extras: JSON.stringify(extras) }, asBooth())

  /** All of it, and beside it what others want: a look at the service's health, and a task of another experience. */
  const round = (configuration: string, extras: object): Promise<Cost> =>
    costOf(async () => {
      const neighbour = keepsake.send('/api/task/', { configuration_name: 'neighbour', data })
      const health = fetch(`${keepsake.url}/healthz`)
      await Promise.all([task(configuration, extras), preview(configuration, extras)])
      assert.equal((await health).status, 200)
      const { body } = await neighbour
      assert.equal((await keepsake.ended(`/api/task/${body.task_id}/`)).status, 'Succeeded')
    })

  async function compare(what: string, of: (text: string) => Promise<Cost>, length: number): Promise<void> {
    const lorem = 'lorem ipsum '.repeat(length / 12)
    let harmless = await of(lorem)
    for (const [begin, unit, end] of poisons) {
      const text = begin + unit.repeat(Math.floor((length - begin.length - end.length) / unit.length)) + end
      let cost = await of(text)
      // The machine may have been busy with something else just then.
      for (let again = 0; again < 2 && isMuch(cost, harmless); again++) {
        harmless = most(harmless, await of(lorem))
        cost = least(cost, await of(text))
      }
      const told = `${what} with ${JSON.stringify([begin, unit, end])}: ${JSON.stringify(cost)} in place of ${JSON.stringify(harmless)}`
      assert.ok(!isMuch(cost, harmless), told)
    }
  }

  const poisons = [
    ['{{', ' ', ''],
    ['{{', ' ', '}'],
    ['', '{{ ', ''],
    ['', '{{a}}', ''],
    ['', '{', ''],
    ['', '"', ''],
    ['', '\\', ''],
    ['', '\n', ''],
    ['', '!', ''],
    ['', 'a ', ''],
    ['', '\u0301', ''],
  ] as const

  it('in the text of a picture', () => compare('text', text => round('text', { text }), 5_000))

  it('in a text that is broken into lines', () =>
    compare('lines', text => round('text', { text, overflow: 'wrap', size_min: 1 }), 5_000))

  it('in the layers of a canvas', () =>
    compare('layers', text => round('frame', { layers: [{ type: 'text', text, name: 'a' }] }), 5_000))

  it('in a context, as name and as value', () =>
    compare('context', text => round('text', { text: '{{a}}', additional_context: { a: text, [text]: text } }), 20_000))

  it('in the headers and fields of http_post', () =>
    compare(
      'headers',
      text => round('post', { headers: { 'x-a': text }, fields: { a: text, [text.slice(0, 100)]: '' } }),
      4_000,
    ))

  it('in a mail', () =>
    compare('mail', text => round('mail', { subject: text.slice(0, 900), text, html: text.slice(0, 20_000) }), 60_000))

  it('in unknown extras and look-ups', () =>
    compare('extras', text => round('text', { [text]: text, email: [text], rfid: text }), 20_000))

  it('in names of configurations, parts and files, in addresses and in queries', () =>
    compare(
      'names',
      text =>
        costOf(async () => {
          const named = new File([data], text.slice(0, 8_000))
          const sent: [string, Record<string, string | Blob>][] = [
            ['/api/task/', { configuration_name: text, data }],
            ['/api/task/', { configuration_name: 'text', data: named }],
            ['/api/task/', { configuration_name: 'text', data_url: `https://${text}/` }],
            ['/api/task/', { configuration_name: 'text', data_url: text }],
            ['/api/task/', { configuration_name: 'text', data, [text.slice(0, 8_000)]: 'x' }],
            [
              '/api/taskgroup/',
              { configuration_names: JSON.stringify([text]), [`${text.slice(0, 8_000)}_data`]: data },
            ],
            ['/api/taskgroup/', { configuration_names: text, webhook_url: text }],
          ]
          for (const [path, parts] of sent) {
            const { status, body } = await keepsake.send(path, parts, asBooth())
            assert.ok(status < 500, `${path} ${status} ${JSON.stringify(body)}`)
          }
          const query = encodeURIComponent(text.slice(0, 2_000))
          for (const path of [
            `/api/task/?configuration=${query}`,
            `/api/task/?cursor=${query}`,
            `/api/task/${query}/`,
          ]) {
            const { status, body } = await keepsake.client.send('GET', path, { headers: asBooth() })
            assert.ok(status < 500, `${path} ${status} ${JSON.stringify(body)}`)
          }
        }),
      60_000,
    ))
})

// Headers of callbacks: what they tell of, whose they are, and those of the receiver's own, which go to one origin alone.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { newAuthority, trust } from '../support/certificates.ts'
import { cleanUp } from '../support/clean-up.ts'
import { type Received, type Receiver, startReceiver } from '../support/https-receiver.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { until } from '../support/until.ts'

const MASK = '********'
/** Nobody else's text. */
const SECRET = 'Bearer correct-horse-battery-staple'
const EXPERIENCE = 'Fête 2026: 50 % “wow”'

describe('headers of callbacks', () => {
  let keepsake: Keepsake
  let receiver: Receiver
  let other: Receiver
  let picture: Blob
  const place = `/api/experience/${encodeURIComponent(EXPERIENCE)}/`

  before(async () => {
    const authority = await newAuthority()
    trust(authority)
    const tls = await authority.issue(['127.0.0.1'])
    other = await startReceiver({ tls })
    receiver = await startReceiver({
      tls,
      answer: ({ url }, response) =>
        void (url === '/moved' ? response.writeHead(307, { location: `${other.url}/stolen` }) : response).end(),
    })
    keepsake = await startKeepsake({ settings: { callbackDelays: [] } })
    picture = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
    const flip = (name: string, webhook_url: string) =>
      keepsake.configure(
        single(name, 'photo_flip', { method: 'ROTATE_180' }, { experience_id: EXPERIENCE, webhook_url }),
      )
    await flip('flip', `${receiver.url}/hook`)
    await flip('moved', `${receiver.url}/moved`)
    await flip('elsewhere', `${other.url}/hook`)
  })
  after(() =>
    cleanUp(
      () => keepsake.stop(),
      () => receiver.stop(),
      () => other.stop(),
    ),
  )

  const patch = (webhook_headers: unknown) => keepsake.client.patch(place, { webhook_headers })
  const heard = (from: Receiver, what: string): Promise<Received> =>
    until(`a callback of ${what} has come`, () => from.received.find(({ body }) => body.includes(what)))
  const run = async (configuration_name: string): Promise<string> => {
    const { body, status } = await keepsake.send('/api/task/', { configuration_name, data: picture })
    assert.equal(status, 202, JSON.stringify(body))
    return body.task_id
  }

  it('name the event and the experience', async () => {
    const task = await heard(receiver, await run('flip'))
    assert.equal(task.headers['keepsake-event'], 'task')
    assert.equal(task.headers['keepsake-experience'], encodeURIComponent(EXPERIENCE))
    const { body } = await keepsake.send('/api/taskgroup/', {
      configuration_names: '["flip"]',
      flip_data: picture,
      webhook_url: `${receiver.url}/group`,
    })
    const group = await heard(receiver, body.task_id)
    assert.deepEqual([group.url, group.headers['keepsake-event']], ['/group', 'taskgroup'])
    assert.equal(group.headers['keepsake-experience'], encodeURIComponent(EXPERIENCE))
    const [{ callback_id }] = (await keepsake.client.get(`/api/callback/?task_id=${body.task_id}`)).body.items
    const count = receiver.received.length
    assert.equal((await keepsake.client.post(`/api/callback/${callback_id}/resend/`)).status, 202)
    await until('it has come again', () => receiver.received.length > count)
    assert.equal(receiver.received.at(-1)?.headers['keepsake-event'], 'taskgroup', 'out of the queue as well')
    assert.notEqual(group.headers['webhook-id'], body.task_id)
  })

  it('of the receiver’s own go to their origin alone, also after a redirect and in checks', async () => {
    const headers = { Authorization: SECRET, 'x-gateway': 'a  b' }
    const { status, body } = await patch([{ origin: `${receiver.url}/`, headers }])
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(body.webhook_headers, [
      { origin: receiver.url, headers: { Authorization: MASK, 'x-gateway': MASK } },
    ])
    const sent = await heard(receiver, await run('flip'))
    assert.deepEqual([sent.headers.authorization, sent.headers['x-gateway']], [SECRET, 'a  b'])
    const away = await heard(other, await run('elsewhere'))
    assert.deepEqual([away.headers.authorization, away.headers['x-gateway']], [undefined, undefined])
    const redirected = await run('moved')
    await heard(receiver, redirected)
    await until('it is given up', async () => {
      const [callback] = (await keepsake.client.get(`/api/callback/?task_id=${redirected}`)).body.items
      return callback?.status === 'GivenUp'
    })
    assert.ok(!other.received.some(({ url }) => url === '/stolen'))
    for (const [name, from, expected] of [
      ['flip', receiver, SECRET],
      ['elsewhere', other, undefined],
    ] as const) {
      const { body } = await keepsake.client.post(`/api/configuration/${name}/check/`)
      assert.ok(!JSON.stringify(body).includes('battery'), 'no secret in an answer')
      const check = from.received.findLast(({ headers }) => headers['keepsake-event'] === 'check')
      assert.equal(check?.headers.authorization, expected)
    }
  })

  it('are masked in every answer, for admins alone, and sealed at rest', async () => {
    for (const path of [place, '/api/experience/']) {
      const { body } = await keepsake.client.get(path)
      assert.ok(!JSON.stringify(body).includes('battery'))
      assert.ok(JSON.stringify(body).includes(`"Authorization":"${MASK}"`))
    }
    const { body: made } = await keepsake.client.post('/api/token/', { name: 'w', scopes: ['write'] })
    const writer = keepsake.client.as(made.token)
    assert.ok(!('webhook_headers' in (await writer.get(place)).body))
    const refused = await writer.patch(place, { webhook_headers: [] })
    assert.deepEqual([refused.status, refused.body.errors[0].field], [403, 'webhook_headers'])
    assert.equal((await writer.patch(place, { name: 'Fête' })).status, 200)
    const { body: foreign } = await keepsake.client.post('/api/token/', {
      name: 'f',
      scopes: ['admin'],
      experiences: ['another'],
    })
    assert.equal((await keepsake.client.as(foreign.token).patch(place, { webhook_headers: [] })).status, 404)
    const client = new pg.Client(keepsake.databaseUrl)
    await client.connect()
    const { rows } = await client.query('select e::text as row from experiences e')
    await client.end()
    assert.ok(!rows.some(({ row }) => row.includes('battery') || row.includes(Buffer.from('battery').toString('hex'))))
  })

  it('a mask keeps the value of its origin and name; any other origin needs the values again', async () => {
    const kept = await patch([{ origin: receiver.url, headers: { authorization: MASK, 'X-New': 'n' } }])
    assert.equal(kept.status, 200, JSON.stringify(kept.body))
    const { headers } = await heard(receiver, await run('flip'))
    assert.deepEqual([headers.authorization, headers['x-new'], headers['x-gateway']], [SECRET, 'n', undefined])
    for (const list of [
      [{ origin: other.url, headers: { authorization: MASK } }],
      [{ origin: receiver.url.replace('https', 'http'), headers: { authorization: MASK } }],
      [{ origin: 'https://127.0.0.1', headers: { authorization: MASK } }],
      [{ origin: receiver.url, headers: { authorization: MASK, 'x-gateway': MASK } }],
    ]) {
      const { status, body } = await patch(list)
      assert.deepEqual([status, body.code], [400, 'secret_needed'], JSON.stringify(body))
      assert.match(body.errors[0].field, /^webhook_headers\[0\]\.headers\./)
    }
    const still = await heard(receiver, await run('flip'))
    assert.equal(still.headers.authorization, SECRET, 'a refused change changes nothing')
    const moved = await patch([{ origin: other.url, headers: { authorization: 'anew' } }])
    assert.equal(moved.status, 200)
    assert.equal((await heard(other, await run('elsewhere'))).headers.authorization, 'anew')
    assert.equal((await heard(receiver, await run('flip'))).headers.authorization, undefined)
    const { body } = await patch(null)
    assert.deepEqual(body.webhook_headers, [])
    assert.equal((await heard(other, await run('elsewhere'))).headers.authorization, undefined)
  })

  it('names and values that are not safe are refused, with nothing changed', async () => {
    const origin = 'https://hooks.example.com'
    const one = (headers: unknown) => [{ origin, headers }]
    const many = (count: number, value = 'v') =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${n}`, value]))
    const names =
      'host Content-Type content-length webhook-id Webhook-Signature keepsake-event KEEPSAKE-x connection keep-alive te trailer transfer-encoding upgrade proxy-authorization expect user-agent via x-forwarded-for'
    const bad: unknown[] = [
      ...names.split(' ').map(name => one({ [name]: 'v' })),
      ...['a b', 'a:b', 'ä', 'a\nb', '', 'x'.repeat(101)].map(name => one({ [name]: 'v' })),
      ...['', ' v', 'v ', 'a\r\nb: c', 'a\nb', 'ü', '😀', '\u007f', 'v'.repeat(4_097), 5, null, ['v']].map(value =>
        one({ 'x-a': value }),
      ),
      one({ 'x-a': '1', 'X-A': '2' }),
      one({}),
      one(many(21)),
      one(many(20, 'v'.repeat(1_000))),
      one('v'),
      [{ origin }],
      [{ origin, headers: { a: 'v' }, more: 1 }],
      Array.from({ length: 21 }, (_, n) => ({ origin: `https://h${n}.example.com`, headers: { a: 'v' } })),
      [...one({ a: 'v' }), { origin: 'https://HOOKS.example.com:443', headers: { a: 'v' } }],
      ...[
        '',
        'hooks.example.com',
        'https://hooks.example.com/path',
        'https://hooks.example.com/?q',
        'https://hooks.example.com?',
        'https://hooks.example.com/#',
        'https://u:p@hooks.example.com',
        'http://hooks.example.com',
        'https://10.0.0.1',
        'https://169.254.169.254',
        'ftp://hooks.example.com',
        'null',
        '*',
        `https://${'a'.repeat(400)}.com`,
        5,
      ].map(bad => [{ origin: bad, headers: { a: 'v' } }]),
      {},
      'x',
    ]
    for (const list of bad) {
      const { status, body } = await patch(list)
      assert.equal(status, 400, `${JSON.stringify(list).slice(0, 200)}: ${JSON.stringify(body)}`)
      assert.match(body.errors[0].field, /^webhook_headers/)
    }
    assert.deepEqual((await keepsake.client.get(place)).body.webhook_headers, [])
    const good = await patch(one({ "x-!#$%&'*+.^_`|~": 'v'.repeat(4_096), constructor: '~ !' }))
    assert.equal(good.status, 200, JSON.stringify(good.body))
    assert.equal((await patch([])).status, 200)
  })
})

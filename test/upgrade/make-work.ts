// The work that a fixture of an upgrade is made of: configurations with secrets, guests, assets, and tasks in every state.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import type { Client } from '../support/client.ts'
import type { Receiver } from '../support/https-receiver.ts'
import { chain, single } from '../support/keepsake.ts'
import { png } from '../support/pictures.ts'
import { until } from '../support/until.ts'
import type { Facts } from './facts.ts'

export interface Site {
  /** Address of the API. */
  api: string
  admin: Client
  receiver: Receiver
  picture: Buffer
}

/** What is known of it besides what can be read back. */
export type World = Pick<Facts, 'authorization' | 'webhook_secrets' | 'idempotent' | 'pending'>

const basic = { username: 'booth', password: 'password-of-the-fixture' }

/** Configurations of every kind, with a secret wherever there may be one. */
function configurations(url: string): object[] {
  const withAuth = (name: string, adapter: string, auth: object, defaults: object, more: object = {}) => ({
    ...single(name, adapter, {}, more),
    adapter_config: { auth, defaults },
  })
  const post = (name: string, more: object = {}, auth: object = { bearer: `bearer-of-${name}` }) => {
    const defaults = { url: `${url}/in/${name}`, idempotent: true, delivery_backoff: 600 }
    return withAuth(`post ${name}`, 'http_post', auth, defaults, more)
  }
  const flip = (name: string, hook: string, experience_id = 'park') => ({
    ...single(name, 'photo_flip', { method: 'ROTATE_180' }, { webhook_url: `${url}/hook/${hook}` }),
    experience_id,
  })
  const payload = { object_id: 'ride-1' }
  return [
    flip('flip', 'ok'),
    flip('flip gone', 'gone'),
    flip('flip down', 'down'),
    flip('gala flip', 'down', 'gala'),
    single('frame', 'photo_add_overlay', { overlay_file_name: 'frame.png' }),
    single('film', 'video_flip', { method: 'FLIP_LEFT_RIGHT' }, { webhook_url: `${url}/hook/ok` }),
    post('wall', { activity_config: { experience_id: 'park', activity_type: 'content-generation', payload } }),
    post('basic', {}, basic),
    post('busy'),
    post('hang'),
    chain('flip and busy', [
      ['flip', null],
      ['post busy', 0],
    ]),
    chain(
      'photo to wall',
      [
        ['flip', null],
        ['frame', 0],
        ['post wall', 1],
      ],
      { webhook_url: `${url}/hook/ok` },
    ),
    withAuth(
      'store',
      's3_upload',
      { access_key: 'access-key-of-the-fixture', secret_key: 'secret-key-of-the-fixture' },
      { bucket_name: 'souvenirs', bucket_url: `${url}/in/s3`, delivery_backoff: 600 },
    ),
    withAuth(
      'mail',
      'email_send',
      { host: '127.0.0.1', port: 2525, username: 'mail', password: 'mail-password', from: 'a@example.org' },
      { to: 'guest@example.com', subject: 'Yours', text: 'Here.' },
    ),
    withAuth('sftp', 'sftp_upload', { username: 'sftp', password: 'sftp-password' }, { host: '127.0.0.1', path: 'in' }),
    withAuth(
      'azure',
      'azure_blob_upload',
      { account_name: 'keepsake', account_key: 'a2V5LW9mLXRoZS1maXh0dXJl' },
      { container_name: 'souvenirs' },
    ),
    withAuth(
      'youtube',
      'youtube_upload',
      { client_id: 'id', client_secret: 'youtube-secret', refresh_token: 'youtube-refresh' },
      { title: 'Souvenir' },
    ),
  ]
}

const profiles = [
  {
    experience_id: 'park',
    email: ['Ada@example.com', 'ada@other.example'],
    rfid: ['r-ada'],
    qr_code: 'q-ada',
    attributes: { name: 'Ada', phone: '+44 1' },
  },
  { rfid: 'r-everywhere', email: 'nobody@example.com', attributes: { name: 'Of no experience' } },
  { experience_id: 'gala', email: 'grace@example.com' },
]

async function putAsset({ admin }: Site, name: string, shade: number, experience_id?: string): Promise<void> {
  const body = new FormData()
  if (experience_id) body.append('name', name)
  if (experience_id) body.append('experience_id', experience_id)
  const bytes = await png({ data: Buffer.alloc(16 * 16 * 4, shade), width: 16, height: 16, channels: 4 })
  body.append('file', new Blob([new Uint8Array(bytes)]), name)
  const [method, path] = experience_id ? ['POST', '/api/asset/'] : ['PUT', `/api/asset/${name}/`]
  const answer = await admin.send(method, path, { body })
  assert.ok(answer.status < 300, JSON.stringify(answer.body))
}

/** Configures everything. */
export async function worldOf(site: Site): Promise<World> {
  const { admin, receiver } = site
  await putAsset(site, 'frame.png', 40, 'park')
  await putAsset(site, 'logo.png', 200, 'gala')
  for (const [path, bodies] of [
    ['/api/configuration/', configurations(receiver.url)],
    ['/api/profile/', profiles],
  ] as const)
    for (const body of bodies) {
      const answer = await admin.post(path, body)
      assert.equal(answer.status, 201, JSON.stringify(answer.body))
    }
  const changed = await admin.patch('/api/experience/park/', { name: 'The Park', retention_days: 30, max_running: 9 })
  assert.equal(changed.status, 200)
  const secretOf = async (experience: string): Promise<string> =>
    (await admin.get(`/api/experience/${experience}/`)).body.webhook_secret
  const old = await secretOf('gala')
  assert.equal((await admin.post('/api/experience/gala/rotate-secret/')).status, 200)
  return {
    authorization: {
      '/in/wall': 'Bearer bearer-of-wall',
      '/in/busy': 'Bearer bearer-of-busy',
      '/in/hang': 'Bearer bearer-of-hang',
      '/in/basic': `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}`,
      '/in/s3': 'AWS4-HMAC-SHA256 Credential=access-key-of-the-fixture/',
    },
    webhook_secrets: { park: [await secretOf('park')], gala: [await secretOf('gala'), old] },
    idempotent: [],
    pending: { rfid: 'r-late', task_id: '' },
  }
}

type Parts = Record<string, string | Blob>

function sender({ admin, picture }: Site) {
  const photo = new Blob([new Uint8Array(picture)])
  async function send(path: string, parts: Parts, key?: string): Promise<string> {
    const body = new FormData()
    for (const [name, value] of Object.entries(parts)) body.append(name, value)
    const answer = await admin.send('POST', path, { body, headers: key ? { 'idempotency-key': key } : {} })
    assert.equal(answer.status, 202, JSON.stringify(answer.body))
    return `${path}${answer.body.task_id}/`
  }
  return {
    photo,
    task: (configuration_name: string, more: Parts = { data: photo }, key?: string) =>
      send('/api/task/', { configuration_name, ...more }, key),
    group: (names: string[], parts: Parts) =>
      send('/api/taskgroup/', { configuration_names: JSON.stringify(names), ...parts }),
    becomes: (path: string, status: string) =>
      until(`${path} is ${status}`, async () => (await admin.get(path)).body.status === status),
  }
}

export const idOf = (path: string): string => path.split('/').at(-2) ?? ''

/** With a worker: what ends, what is put off, and what is being delivered when the worker is killed. Answers the paths of what has not ended. */
export async function underWay(site: Site, world: World): Promise<string[]> {
  const { admin, receiver } = site
  const { photo, task, group, becomes } = sender(site)
  const keyed = await task('flip', { data: photo }, 'key-finished')
  world.idempotent.push({ key: 'key-finished', task_id: idOf(keyed) })
  const late = await task('post wall', { data: photo, extras: JSON.stringify({ rfid: world.pending.rfid }) })
  world.pending.task_id = idOf(late)
  const hook = { webhook_url: `${receiver.url}/hook/ok` }
  const inputs = { flip_data: photo, frame_input: 'flip', 'post basic_input': 'frame' }
  const guests = JSON.stringify({ rfid: ['r-ada', 'r-everywhere'] })
  const good = [
    keyed,
    late,
    await task('photo to wall', { data: photo, extras: guests }),
    await task('flip gone'),
    await task('flip down'),
    await task('gala flip'),
    await group(['flip', 'frame', 'post basic'], { ...hook, ...inputs }),
  ]
  const junk = new Blob(['no picture at all'])
  const failed = await task('flip', { data: junk })
  const bad = [failed, await group(['flip', 'frame', 'post basic'], { ...hook, ...inputs, flip_data: junk })]
  for (const path of good) await becomes(path, 'Succeeded')
  for (const path of bad) await becomes(path, 'Failed')
  // A second run, with a second callback.
  assert.equal((await admin.post(`${failed}retry/`)).status, 202)
  await becomes(failed, 'Failed')
  await until('every callback has been attempted', async () => {
    const { items } = (await admin.get('/api/callback/?limit=100')).body
    return items.length === 9 && items.every((one: { attempts: object[] }) => one.attempts.length > 0)
  })
  const busy = await task('flip and busy')
  await until('it is put off', async () => (await admin.get(busy)).body.entries[1].retry_at)
  const hanging = await task('post hang')
  await until('it hangs', () => receiver.received.some(({ url }) => url.startsWith('/in/hang')))
  return [busy, hanging]
}

/** Without a worker: what is accepted only. Answers the paths of what has not ended. */
export async function waiting(site: Site, world: World): Promise<string[]> {
  const { admin, receiver } = site
  const { photo, task, group, becomes } = sender(site)
  const film = execFileSync('ffmpeg', [
    ...['-v', 'error', '-f', 'lavfi', '-i', 'testsrc=size=64x48:rate=10:duration=1', '-c:v', 'libx264'],
    ...['-pix_fmt', 'yuv420p', '-f', 'mp4', '-movflags', 'frag_keyframe+empty_moov', 'pipe:1'],
  ])
  const keyed = await task('flip', { data: photo }, 'key-waiting')
  world.idempotent.push({ key: 'key-waiting', task_id: idOf(keyed) })
  const paths = [
    keyed,
    // On the asset as it is now, which is replaced below.
    await task('photo to wall', { data: photo, extras: JSON.stringify({ email: 'ADA@example.com' }) }),
    await task('flip', { data_url: `${receiver.url}/picture.png` }),
    await task('store'),
    await task('post basic'),
    await task('film', { data: new Blob([new Uint8Array(film)]) }),
    await group(['flip', 'frame'], {
      flip_data: photo,
      frame_input: 'flip',
      webhook_url: `${receiver.url}/hook/ok`,
    }),
  ]
  const cancelled = await task('flip')
  assert.equal((await admin.post(`${cancelled}cancel/`)).status, 202)
  await becomes(cancelled, 'Cancelled')
  await putAsset(site, 'frame.png', 120)
  return paths
}

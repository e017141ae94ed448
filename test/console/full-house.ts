// A service with a bit of everything in it, as after an hour of an event: for looking at every page.
import assert from 'node:assert/strict'
import sharp from 'sharp'
import { startReceiver } from '../support/https-receiver.ts'
import { type Keepsake, startKeepsake } from '../support/keepsake.ts'

/** A name that tries everything a name can try. */
export const NASTY = `<b class="nasty">bold<img src=x onerror="window.hacked=1"> 'q' "d" 🎉 ﷽ {{task_id}} é`

export interface House {
  keepsake: Keepsake
  succeeded: string
  failed: string
  group: string
  profile: string
  stop(): Promise<void>
}

const experience_id = 'expo-2026'
const activity_config = { experience_id, activity_type: 'content-generation', payload: { object_id: 'photo-wall' } }

const frame = {
  canvas: { width: 1200, height: 1500, background: '#fffdf8' },
  layers: [
    { type: 'photo', name: 'photo', x: 60, y: 60, width: 1080, height: 1080 },
    {
      type: 'text',
      name: 'title',
      x: 60,
      y: 1190,
      width: 780,
      height: 130,
      text: '{{title}}',
      align: 'left',
      color: '#15171c',
    },
    {
      type: 'text',
      name: 'line',
      x: 60,
      y: 1330,
      width: 780,
      height: 70,
      text: '{{line}}',
      align: 'left',
      color: '#505763',
    },
    { type: 'qr', name: 'code', x: 920, y: 1200, width: 220, height: 220, data: 'https://example.com/keepsake' },
  ],
  context: { title: 'Wish you were here', line: 'Expo 2026, at the photo wall' },
  format: 'jpeg',
}

/** A picture with something to see in it. */
async function photo(hue: number): Promise<Blob> {
  const sun = 200 + ((hue * 37) % 900)
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1440" height="1080"><defs><linearGradient id="g" x2="0" y2="1">
    <stop stop-color="hsl(${hue} 55% 30%)"/><stop offset="1" stop-color="hsl(${(hue + 60) % 360} 75% 70%)"/></linearGradient></defs>
    <rect width="1440" height="1080" fill="url(#g)"/><circle cx="${sun}" cy="640" r="120" fill="#fff3c4"/>
    <path d="M0 820q220-170 420-40t420-20 600 30v290H0z" fill="hsl(${hue} 45% 18%)"/></svg>`
  return new Blob([new Uint8Array(await sharp(Buffer.from(svg)).jpeg({ quality: 88 }).toBuffer())])
}

export async function furnish(): Promise<House> {
  const cleared: (() => Promise<void>)[] = []
  const stop = async () => {
    for (const end of cleared.toReversed()) await end()
  }
  try {
    return { ...(await fill(cleared)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function fill(cleared: (() => Promise<void>)[]): Promise<Omit<House, 'stop'>> {
  const refusing = await startReceiver({ answer: (_request, response) => void response.writeHead(403).end() })
  const hook = await startReceiver()
  const keepsake = await startKeepsake({ settings: { callbackDelays: [0.1] } })
  cleared.push(refusing.stop, hook.stop, keepsake.stop)
  const { client } = keepsake
  const one = (configuration_name: string, adapter_name: string, defaults: object, more: object = {}) =>
    keepsake.configure({
      configuration_name,
      experience_id,
      adapter_name,
      adapter_config: { auth: {}, defaults },
      ...more,
    })

  await one('mirror', 'photo_flip', { method: 'FLIP_LEFT_RIGHT' })
  await one('keep the photo', 'photo_flip', { method: 'FLIP_LEFT_RIGHT' }, { activity_config })
  await one('frame with words', 'photo_compositor', frame, { activity_config })
  await one('thumbnail', 'photo_resize', { width: 320 })
  await one(NASTY, 'photo_flip', { method: 'ROTATE_180' })
  await keepsake.configure({
    configuration_name: 'to the bucket',
    experience_id,
    adapter_name: 's3_upload',
    adapter_config: {
      auth: { access_key: 'AKIDEXAMPLE', secret_key: 'wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY' },
      defaults: { bucket_name: 'event-photos', bucket_url: refusing.url, public: true },
    },
  })
  const wall = [['mirror', null], ['frame with words', 0], ['thumbnail', 0]] // biome-ignore format: one line reads better
  const send = [['mirror', null], ['to the bucket', 0], ['thumbnail', 1]] // biome-ignore format: one line reads better
  await keepsake.configure({
    configuration_name: 'photo to wall',
    experience_id,
    call_chain: wall,
    webhook_url: `${hook.url}/keepsake`,
  })
  await keepsake.configure({
    configuration_name: 'photo to bucket',
    experience_id,
    call_chain: send,
    webhook_url: `${refusing.url}/hook`,
  })

  const png = await sharp({ create: { width: 640, height: 480, channels: 4, background: '#ffd84d80' } })
    .png()
    .toBuffer()
  for (const name of ['frame.png', NASTY]) {
    const data = { name, experience_id, file: new Blob([new Uint8Array(png)]) }
    assert.equal((await keepsake.send('/api/asset/', data)).status, 201)
  }
  await one('overlay', 'photo_add_overlay', { overlay_file_name: 'frame.png' })
  const ada = await client.post('/api/profile/', {
    email: 'ada@example.com',
    qr_code: 'A-1042',
    experience_id,
    attributes: { name: 'Ada Lovelace', table: 7 },
  })
  await client.post('/api/profile/', { rfid: '04A2B3C4', experience_id, attributes: { name: NASTY } })
  await client.patch(`/api/experience/${experience_id}/`, { name: 'Expo 2026', max_running: 20 })
  await client.post('/api/token/', { name: 'photo booth 1', scopes: ['tasks'], experiences: [experience_id] })
  await client.post('/api/token/', { name: NASTY, scopes: ['read'] })
  await keepsake.configure({
    configuration_name: 'elsewhere',
    experience_id: NASTY,
    adapter_name: 'photo_flip',
    adapter_config: { defaults: { method: 'ROTATE_90' } },
  })

  const task = async (configuration_name: string, hue: number, extras: object = {}) => {
    const { status, body } = await keepsake.send('/api/task/', {
      configuration_name,
      data: await photo(hue),
      extras: JSON.stringify(extras),
    })
    assert.equal(status, 202, JSON.stringify(body))
    await keepsake.ended(`/api/task/${body.task_id}/`)
    return body.task_id as string
  }
  const guest = { email: ['ada@example.com'], additional_context: { title: 'Ada was here' } }
  await task('keep the photo', 340, guest)
  await task(NASTY, 120)
  await task('thumbnail', 60)
  const made = await keepsake.send('/api/taskgroup/', {
    configuration_names: '["mirror", "thumbnail"]',
    mirror_data: await photo(280),
    thumbnail_input: 'mirror',
    webhook_url: `${hook.url}/group`,
  })
  assert.equal(made.status, 202, JSON.stringify(made.body))
  await keepsake.ended(`/api/taskgroup/${made.body.task_id}/`)
  const failed = await task('photo to bucket', 30)
  const succeeded = await task('photo to wall', 205, guest)
  return {
    keepsake,
    succeeded,
    failed,
    group: made.body.task_id,
    profile: ada.body.profile_id,
  }
}

// Pictures and videos side by side: a photo never waits behind an encode, and what is cancelled is gone at once.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { photoFlip } from '#adapters/transformers/photo_flip.ts'
import { videoConvert } from '#adapters/transformers/video_convert.ts'
import { newMedia } from '#engine/children/media.ts'
import { newLog } from '#kit/log.ts'
import { statOf } from '#kit/process/process-stat.ts'
import { loadSettings } from '#kit/settings.ts'
import { commandOf, descendants, environmentOf } from '../support/processes.ts'
import { jail, roomFolder } from '../support/rooms.ts'
import { soon, until } from '../support/until.ts'
import { clip, entryOf, fresh, opened, tools, withFfmpeg } from '../support/videos.ts'

const script = fileURLToPath(new URL('../../src/child.ts', import.meta.url))

const onLinux = process.platform === 'linux' ? false : 'only Linux tells'

test('a media child has libvips before it steps back: the first photo waits for no library at the lowest priority', {
  skip: onLinux,
}, async () => {
  const media = newMedia({
    settings: { ...loadSettings({}, fresh('.env')), data: fresh(), concurrency: 1 },
    programs: tools,
    tools: Promise.resolve(tools),
    jail: Promise.resolve(jail),
    rooms: roomFolder(),
    script,
    keepWarm: 1,
    adapters: new Map(),
    log: newLog('silent', 'test'),
  })
  // Not the one that only fills the compile cache: it takes no jobs.
  const child = await until('a child has stepped back', () =>
    descendants(process.pid).find(
      pid =>
        commandOf(pid).endsWith(script) && statOf(pid)?.[16] === '19' && environmentOf(pid).includes('NODE_CHANNEL_FD'),
    ),
  )
  assert.match(readFileSync(`/proc/${child}/maps`, 'utf8'), /libvips/)
  assert.match(environmentOf(child), /MALLOC_ARENA_MAX=1/, 'its threads share one heap')
  await media.drain()
})

test('while all places for videos are taken a picture runs; the videos can be cancelled', withFfmpeg, async () => {
  const settings = { ...loadSettings({}, fresh('.env')), data: fresh(), concurrency: 1 }
  const media = newMedia({
    settings,
    programs: tools,
    tools: Promise.resolve(tools),
    jail: Promise.resolve(jail),
    rooms: roomFolder(),
    script,
    keepWarm: 0,
    adapters: new Map(),
    log: newLog('silent', 'test'),
  })
  const folder = async (): Promise<string> => {
    const path = fresh()
    await mkdir(path)
    return path
  }
  const input = await clip({ seconds: 30, size: '640x360', args: ['-c:v', 'libx264', '-preset', 'ultrafast', '-an'] })
  const slow = entryOf({ adapter: videoConvert, options: { preset: 'medium', crf: 10 } }, 0)
  const stop = new AbortController()
  const started = Promise.withResolvers<void>()
  let shown = 0
  const onProgress = (_index: number, fraction: number): void => {
    shown = fraction
    started.resolve()
  }
  const videos = [1, 2].map(async () =>
    media.run(
      { form: 'video', input, entries: [slow], folder: await folder(), experienceId: null },
      { signal: stop.signal, onProgress },
    ),
  )
  const ends = Promise.allSettled(videos)
  await soon('it has begun', started.promise)
  const path = fresh('.png')
  await sharp({ create: { width: 40, height: 20, channels: 3, background: '#0000ff' } })
    .png()
    .toFile(path)
  const turn = entryOf({ adapter: photoFlip, options: { method: 'ROTATE_90' } }, 0)
  const { output } = await media.run({
    form: 'image',
    input: await opened(path),
    entries: [turn],
    folder: await folder(),
    experienceId: null,
  })
  assert.deepEqual([output.width, output.height], [20, 40])
  assert.deepEqual([media.stats().videos.busy, media.stats().videos.waiting], [1, 1])
  stop.abort()
  for (const end of await ends)
    assert.deepEqual([end.status, end.status === 'rejected' && end.reason.code], ['rejected', 'cancelled'])
  assert.ok(shown < 1, 'it was not encoded to its end')
  await media.drain()
})

test('work that waits until the jail is known can be cancelled, and the media children can be drained', async () => {
  const { promise: found, reject } = Promise.withResolvers<typeof jail>()
  const media = newMedia({
    settings: { ...loadSettings({}, fresh('.env')), data: fresh(), concurrency: 1 },
    programs: tools,
    tools: Promise.resolve(tools),
    jail: found,
    stopLooking: () => reject(new Error('not wanted any more')),
    rooms: roomFolder(),
    script,
    keepWarm: 1,
    adapters: new Map(),
    log: newLog('silent', 'test'),
  })
  const stop = new AbortController()
  const cancelled = assert.rejects(media.probe('/nowhere', stop.signal), { code: 'cancelled' })
  stop.abort()
  await cancelled
  const left = assert.rejects(media.probe('/nowhere'), { message: 'not wanted any more' })
  await media.drain()
  await left
})

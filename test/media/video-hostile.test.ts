// Files that are broken, lie or attack: each gets a listed code and a sentence, in bounded time, and reads nothing.
import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { videoAddAudio } from '#adapters/transformers/video_add_audio.ts'
import { videoFlip } from '#adapters/transformers/video_flip.ts'
import { videoJoin } from '#adapters/transformers/video_join.ts'
import { isProblem } from '#kit/errors.ts'
import type { MediaFile } from '#media/file/file.ts'
import { sniff } from '#media/file/sniff.ts'
import { event } from '../support/until.ts'
import { clip, ffmpeg, folder, fresh, opened, run, tone, tools, withFfmpeg } from '../support/videos.ts'

const listed = [
  'unsupported_format',
  'corrupt_input',
  'too_many_pixels',
  'too_many_frames',
  'too_long',
  'time_limit',
  'memory_limit',
  'output_too_large',
  'policy_blocked',
]

async function made(name: string, content: Buffer | string): Promise<string> {
  const path = join(await newFolder(), name)
  await writeFile(path, content)
  return path
}

async function newFolder(): Promise<string> {
  const path = fresh()
  await mkdir(path)
  return path
}

/** Probes it as an upload and, where that lets it pass, works on it in both ways: by copy and by encode. */
async function verdict(path: string): Promise<string> {
  try {
    const file = await opened(path)
    await run(file, [{ adapter: videoFlip, options: { method: 'FLIP_LEFT_RIGHT' } }])
    await run(file, [{ adapter: videoAddAudio, assets: { audio_file_name: await tone(1) } }])
    return 'taken'
  } catch (error) {
    assert.ok(isProblem(error), String(error))
    assert.ok(!error.message.includes(folder) && !/\b(mov|ffmpeg|stderr|0x)\b/.test(error.message), error.message)
    return error.code
  }
}

const seconds = 2
const small = () => clip({ seconds })

describe('broken and lying files', withFfmpeg, () => {
  test('nothing, text, noise and other kinds of files are refused', async () => {
    const png = await made('a.mp4', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'))
    for (const path of [
      await made('a.mp4', ''),
      await made('b.mp4', 'just words'),
      await made('c.mp4', Buffer.alloc(5000, 7)),
      png,
    ]) {
      assert.ok(listed.includes(await verdict(path)), path)
    }
  })

  test('a video that is cut off is refused, however far the cut', async () => {
    const file = await small()
    const faststart = fresh('.mp4')
    await ffmpeg('-v', 'error', '-i', file.path, '-c', 'copy', '-movflags', '+faststart', faststart)
    const whole = await readFile(faststart)
    for (const share of [0.1, 0.5, 0.9]) {
      const path = await made('cut.mp4', whole.subarray(0, Math.floor(whole.length * share)))
      assert.equal(await verdict(path), 'corrupt_input', `${share}`)
    }
  })

  test('what can be read of a cut video is told', async () => {
    const faststart = fresh('.mp4')
    await ffmpeg('-v', 'error', '-i', (await small()).path, '-c', 'copy', '-movflags', '+faststart', faststart)
    const whole = await readFile(faststart)
    const file = await opened(await made('cut.mp4', whole.subarray(0, Math.floor(whole.length * 0.6))))
    await assert.rejects(run(file, [{ adapter: videoFlip, options: { method: 'ROTATE_180' } }]), {
      code: 'corrupt_input',
      entry: 0,
    })
  })

  test('a file without its index is refused', async () => {
    const whole = await readFile((await small()).path)
    const at = whole.indexOf('moov')
    const path = await made('no-index.mp4', whole.subarray(0, at - 4))
    assert.equal(await verdict(path), 'corrupt_input')
  })

  test('damage in the middle is found', async () => {
    const whole = Buffer.from(await readFile((await small()).path))
    const from = Math.floor(whole.length * 0.3)
    whole.fill(0xa5, from, from + Math.floor(whole.length * 0.3))
    assert.equal(await verdict(await made('hole.mp4', whole)), 'corrupt_input')
  })

  test('a cut WebM and a cut MP3 are refused or lose nothing silently', async () => {
    const webm = await clip({
      seconds,
      ext: '.webm',
      args: ['-c:v', 'libvpx', '-deadline', 'realtime', '-c:a', 'libopus'],
    })
    const whole = await readFile(webm.path)
    assert.equal(
      await verdict(await made('cut.webm', whole.subarray(0, Math.floor(whole.length * 0.4)))),
      'corrupt_input',
    )
  })

  test('a million frames a second are refused', async () => {
    const path = fresh('.mp4')
    await ffmpeg(
      '-v',
      'error',
      '-f',
      'lavfi',
      '-i',
      'testsrc2=s=64x36:r=1000000:d=0.0001',
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
      '-video_track_timescale',
      '1000000',
      path,
    )
    assert.equal(await verdict(path), 'too_many_frames')
  })

  test('frames that are too large and recordings that are too long are refused by their header', async () => {
    const file = await small()
    await assert.rejects(
      run(file, [{ adapter: videoFlip, options: { method: 'ROTATE_180' } }], { limits: { maxVideoPixels: 1000 } }),
      { code: 'too_many_pixels' },
    )
    await assert.rejects(
      run(file, [{ adapter: videoFlip, options: { method: 'ROTATE_180' } }], { limits: { maxVideoSeconds: 1 } }),
      { code: 'too_long' },
    )
  })

  test('a broken asset is the fault of the entry that uses it', async () => {
    const whole = await readFile((await small()).path)
    const cut: MediaFile = { ...(await small()), path: await made('asset.mp4', whole.subarray(0, 400)) }
    const wishes = [
      { adapter: videoFlip, options: { method: 'ROTATE_180' } },
      { adapter: videoJoin, assets: { intro_file_name: cut } },
    ]
    await assert.rejects(run(await small(), wishes), { code: 'corrupt_input', entry: 1 })
  })
})

describe('files that ask for other files', withFfmpeg, () => {
  test('a playlist or a list of files dressed as a video reads nothing and reaches nobody', async () => {
    let connections = 0
    const server = createServer(socket => {
      connections++
      socket.destroy()
    }).listen(0, '127.0.0.1')
    await event('it listens', server, 'listening')
    const { port } = server.address() as AddressInfo
    const canary = (await small()).path
    const place = await newFolder()
    await writeFile(join(place, 'neighbour.ts'), await readFile(canary))
    const playlist = (entry: string): string =>
      `#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n${entry}\n#EXT-X-ENDLIST\n`
    const texts = [
      playlist(canary),
      playlist('neighbour.ts'),
      playlist(`file://${canary}`),
      playlist(`http://127.0.0.1:${port}/a.ts`),
      playlist(`concat:${canary}|${canary}`),
      `ffconcat version 1.0\nfile ${canary}\n`,
      'ffconcat version 1.0\nfile neighbour.ts\n',
      `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><Period><AdaptationSet><Representation><BaseURL>${canary}</BaseURL></Representation></AdaptationSet></Period></MPD>`,
    ]
    for (const [i, text] of texts.entries()) {
      const path = join(place, `video${i}.mp4`)
      await writeFile(path, text)
      assert.ok(listed.includes(await verdict(path)), text)
      // Even where the sniffed type were wrong, the reader is forced and knows no playlists.
      for (const mime of ['video/mp4', 'video/webm', 'audio/mpeg']) {
        const lie: MediaFile = { ...(await small()), path, mime }
        await assert.rejects(
          run(lie, [{ adapter: videoFlip, options: { method: 'ROTATE_180' } }]),
          (error: Error) => isProblem(error, 'corrupt_input', 'policy_blocked', 'unsupported_format'),
          `${mime}: ${text}`,
        )
      }
    }
    server.close()
    assert.equal(connections, 0)
  })

  test('a QuickTime reference to another file is not followed', async () => {
    const whole = Buffer.from(await readFile((await small()).path))
    const url = whole.indexOf('url ')
    whole.writeUInt32BE(0, url + 4)
    const path = await made('reference.mov', whole)
    assert.ok([...listed, 'taken'].includes(await verdict(path)))
  })

  test('what is sniffed decides, not the name', async () => {
    assert.equal((await sniff(await made('a.mp4', '#EXTM3U\n'))).medium, 'file')
    assert.ok(tools.ffmpeg)
  })
})

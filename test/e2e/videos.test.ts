// Videos through the whole service: a chain that melts, how far it is, posters, cancelling, and what bad files come to.
import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { until } from '../support/until.ts'
import { clip, ffmpeg, frameHashes, fresh, look, tone, withFfmpeg, x264 } from '../support/videos.ts'

const blob = async (path: string): Promise<Blob> => new Blob([new Uint8Array(await readFile(path))])

describe('videos', withFfmpeg, () => {
  let keepsake: Keepsake
  const red = { pattern: 'color=c=red', tone: 880 }

  before(async () => {
    keepsake = await startKeepsake()
    const mark = fresh('.png')
    await sharp({ create: { width: 40, height: 30, channels: 4, background: '#2266ee' } })
      .png()
      .toFile(mark)
    const files = {
      logo: mark,
      music: (await tone(4)).path,
      intro: (await clip({ ...red, seconds: 0.6, size: '240x180', rate: '25' })).path,
      same: (await clip({ ...red, seconds: 1 })).path,
      long: (await clip({ ...red, seconds: 4 })).path,
    }
    for (const [name, path] of Object.entries(files)) {
      const { status, body } = await keepsake.send('/api/asset/', {
        name,
        experience_id: 'park',
        file: await blob(path),
      })
      assert.equal(status, 201, JSON.stringify(body))
    }
    const top = { fit: 'none', position: 'top_left' }
    await keepsake.configure(single('mark', 'video_add_overlay', { overlay_file_name: 'logo', ...top }))
    await keepsake.configure(single('cover', 'video_add_overlay', { overlay_file_name: 'long' }))
    await keepsake.configure(single('music', 'video_add_audio', { audio_file_name: 'music' }))
    await keepsake.configure(single('intro', 'video_join', { intro_file_name: 'intro' }))
    const faded = { intro_file_name: 'same', transition: 'crossfade', transition_duration: 5 }
    await keepsake.configure(single('crossed', 'video_join', faded))
    await keepsake.configure(single('flip', 'video_flip', { method: 'FLIP_LEFT_RIGHT' }))
    await keepsake.configure(single('slow', 'video_convert', { preset: 'medium', crf: 10 }))
    const links: [string, number | null][] = [
      ['mark', null],
      ['music', 0],
      ['intro', 1],
    ]
    await keepsake.configure(chain('souvenir', links))
    await keepsake.configure(single('moving', 'photo_to_video', { duration: 0.5, fps: 10 }))
    await keepsake.configure(single('moving, 160 wide', 'photo_to_video', { duration: 0.5, fps: 10, width: 160 }))
  })
  after(() => keepsake.stop())

  const post = async (configuration_name: string, data: Blob): Promise<string> => {
    const { status, body } = await keepsake.send('/api/task/', { configuration_name, data })
    assert.equal(status, 202, JSON.stringify(body))
    return body.task_id
  }
  const run = async (name: string, data: Blob) => keepsake.ended(`/api/task/${await post(name, data)}/`)
  const download = async (task_id: string, entry: number): Promise<string> => {
    const headers = { authorization: `Bearer ${keepsake.token}` }
    const answer = await fetch(`${keepsake.url}/api/task/${task_id}/output/${entry}/`, { headers })
    assert.equal(answer.status, 200)
    const path = fresh('.mp4')
    await writeFile(path, Buffer.from(await answer.arrayBuffer()))
    return path
  }

  it('overlay, music and intro become one file by one encode; every entry tells its own story', async () => {
    const task = await run('souvenir', await blob((await clip()).path))
    assert.equal(task.status, 'Succeeded', JSON.stringify(task))
    const seen = await look(await download(task.task_id, 2))
    assert.deepEqual([seen.frames, seen.codec, seen.audio?.codec], [78, 'h264', 'aac'])
    assert.deepEqual(
      task.entries.map((entry: { progress: number; seconds_left: number | null; result: object }) => [
        entry.progress,
        entry.seconds_left,
        entry.result,
      ]),
      Array.from({ length: 3 }, () => [1, null, { success: true }]),
    )
    assert.match(task.entries[2].explanation.command, /^ffmpeg .*\{asset:intro_file_name\}.*\{output\}$/s)
  })

  it('input and output have a poster from behind the fade, and a recording of sound has none', async () => {
    const dark = await clip({
      pattern: 'color=c=white',
      seconds: 2,
      args: ['-vf', 'fade=t=in:d=0.15', ...x264, '-c:a', 'aac'],
    })
    const task = await run('flip', await blob(dark.path))
    const headers = { authorization: `Bearer ${keepsake.token}` }
    for (const which of ['input', '0']) {
      const answer = await fetch(`${keepsake.url}/api/task/${task.task_id}/thumbnail/${which}/`, { headers })
      assert.equal(answer.status, 200, which)
      const bytes = await answer.arrayBuffer()
      const { format, width, height } = await sharp(bytes).metadata()
      assert.deepEqual([format, width, height], ['jpeg', 160, 160])
      const { channels } = await sharp(bytes).stats()
      assert.ok(channels[0]!.mean > 240, `the poster of ${which} is dark: ${channels[0]!.mean}`)
    }
    const sound = await run('flip', await blob((await tone(1)).path))
    const none = await fetch(`${keepsake.url}/api/task/${sound.task_id}/thumbnail/input/`, { headers })
    assert.equal(none.status, 404)
  })

  it('progress rises with the seconds that are left; a cancel ends the work, whatever is left of it', async () => {
    const long = await clip({ seconds: 40, size: '640x360', args: ['-c:v', 'libx264', '-preset', 'ultrafast', '-an'] })
    const task_id = await post('slow', await blob(long.path))
    const seen: { progress: number; seconds_left: number | null }[] = []
    const look = async () => {
      const { body } = await keepsake.client.get(`/api/task/${task_id}/`)
      assert.ok(['Waiting', 'Running'].includes(body.status), JSON.stringify(body))
      seen.push(body.entries[0])
      return body.entries[0].seconds_left !== null
    }
    await until('it says how long it still takes', look)
    const values = seen.map(({ progress }) => progress)
    assert.ok(values.every((value, i) => value >= (values[i - 1] ?? 0) && value < 1))
    const { progress, seconds_left } = seen.at(-1)!
    assert.ok(progress >= 0.03 && seconds_left! > 0, JSON.stringify(seen.at(-1)))
    // It stands still from here on: only a kill ends it.
    const pids = await encoders(keepsake.settings.data)
    for (const pid of pids) process.kill(pid, 'SIGSTOP')
    assert.ok(pids.length > 0)
    assert.equal((await keepsake.client.post(`/api/task/${task_id}/cancel/`)).status, 202)
    const task = await keepsake.ended(`/api/task/${task_id}/`)
    assert.deepEqual([task.status, task.entries[0].status, task.entries[0].output], ['Cancelled', 'Cancelled', null])
    await until('the encoder has ended', async () => (await encoders(keepsake.settings.data)).length === 0)
  })

  it('an overlay that is longer than the video ends with it', async () => {
    const input = await clip({ seconds: 1 })
    const task = await run('cover', await blob(input.path))
    assert.equal(task.status, 'Succeeded', JSON.stringify(task))
    const output = await download(task.task_id, 0)
    assert.equal((await frameHashes(output)).length, 30)
  })

  const refused = async (name: string, data: Blob, codes: string[]): Promise<void> => {
    const { status, body } = await keepsake.send('/api/task/', { configuration_name: name, data })
    if (status !== 202) {
      assert.ok(status === 400 && codes.includes(body.code), JSON.stringify(body))
      return
    }
    const task = await keepsake.ended(`/api/task/${body.task_id}/`)
    const [entry] = task.entries
    assert.deepEqual([task.status, entry.status, entry.output], ['Failed', 'Failed', null], JSON.stringify(task))
    assert.ok(codes.includes(entry.error.code), JSON.stringify(entry.error))
    assert.match(entry.error.message, /^\S.*\.$/s)
    assert.ok(!/\/tmp|keepsake-|stderr|0x/.test(entry.error.message), entry.error.message)
    assert.equal((await keepsake.client.get(`/api/task/${body.task_id}/output/0/`)).status, 404)
  }

  it('what is cut off, empty, of another kind, a playlist or without an index fails with its code and a sentence', async () => {
    const faststart = fresh('.mp4')
    await ffmpeg('-v', 'error', '-i', (await clip()).path, '-c', 'copy', '-movflags', '+faststart', faststart)
    const whole = new Uint8Array(await readFile(faststart))
    const plain = await readFile((await clip()).path)
    const picture = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
    const playlist = `#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n${faststart}\n#EXT-X-ENDLIST\n`
    for (const share of [0.2, 0.6, 0.95])
      await refused('flip', new Blob([whole.subarray(0, whole.length * share)]), ['corrupt_input'])
    await refused('music', new Blob([whole.subarray(0, whole.length * 0.6)]), ['corrupt_input'])
    await refused('flip', new Blob([new Uint8Array(plain.subarray(0, plain.indexOf('moov') - 4))]), ['corrupt_input'])
    await refused('flip', new Blob([playlist], { type: 'video/mp4' }), ['unsupported_format'])
    await refused('flip', new Blob(['just words'], { type: 'video/mp4' }), ['unsupported_format'])
    await refused('flip', new Blob([]), ['corrupt_input', 'unsupported_format', 'bad_multipart'])
    await refused('flip', new Blob([new Uint8Array(picture)]), ['unsupported_format'])
  })

  it('a million frames a second and frames that last for days are refused by the header', async () => {
    const fast = fresh('.mp4')
    const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast']
    const million = ['-f', 'lavfi', '-i', 'testsrc2=s=64x36:r=1000000:d=0.0001']
    await ffmpeg('-v', 'error', ...million, ...h264, '-video_track_timescale', '1000000', fast)
    await refused('flip', await blob(fast), ['too_many_frames'])
    const endless = fresh('.mp4')
    const days = ['-f', 'lavfi', '-i', 'testsrc2=s=64x36:r=1/100000:d=300000']
    await ffmpeg('-v', 'error', ...days, ...h264, endless)
    await refused('flip', await blob(endless), ['too_long'])
  })

  it('a photo that was just uploaded becomes a video of its own shape', async () => {
    const grey = sharp({ create: { width: 301, height: 203, channels: 3, background: '#888888' } })
    const lying = grey.clone().jpeg()
    const standing = grey.clone().withMetadata({ orientation: 6 }).jpeg()
    for (const [name, photo, size] of [
      ['moving', lying, [300, 202]],
      ['moving', standing, [202, 300]],
      ['moving, 160 wide', lying, [160, 108]],
    ] as const) {
      const { status, entries } = await run(name, new Blob([new Uint8Array(await photo.toBuffer())]))
      const [{ output, error }] = entries
      assert.deepEqual([status, output?.width, output?.height], ['Succeeded', ...size], JSON.stringify(error))
    }
  })

  it('every entry that melted says what it would have made', async () => {
    const { entries } = await run('souvenir', await blob((await clip({ seconds: 0.5 })).path))
    for (const { output } of entries) {
      assert.equal(output.mime, 'video/mp4')
      assert.ok(output.width > 0 && output.height > 0 && output.duration > 0, JSON.stringify(output))
    }
    assert.deepEqual(
      entries.map(({ output }: { output: { bytes: number | null } }) => output.bytes === null),
      [true, true, false],
    )
  })

  it('a transition longer than a clip and an asset that is not there are told before or when it runs', async () => {
    await refused('crossed', await blob((await clip()).path), ['bad_options'])
    const { status, body } = await keepsake.client.post(
      '/api/configuration/',
      single('missing', 'video_add_overlay', { overlay_file_name: 'nowhere' }),
    )
    if (status === 201) await refused('missing', await blob((await clip()).path), ['asset_missing', 'unknown_asset'])
    else assert.ok(status === 400 && /nowhere/.test(JSON.stringify(body)), JSON.stringify(body))
  })
})

/** ffmpeg processes that name a folder in their command line. */
async function encoders(folder: string): Promise<number[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter(name => /^\d+$/.test(name))
  const named = async (pid: string): Promise<boolean> => {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    return line.includes('ffmpeg') && line.includes(`${folder}/`)
  }
  const are = await Promise.all(pids.map(named))
  return pids.filter((_, index) => are[index]).map(Number)
}

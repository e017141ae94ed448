import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { videoResize } from '#adapters/transformers/video_resize.ts'
import type { MediaFile } from '#media/file/file.ts'
import { facesOnWhole } from '#vision/faces.ts'
import { videoAdapterContract } from '../../contract/video-adapter.ts'
import { drawnPeople } from '../../support/people.ts'
import { clip, ffmpeg, frame, fresh, opened, pixel, run, withFfmpeg, x264 } from '../../support/videos.ts'

videoAdapterContract(videoResize, { options: { aspect: '9:16' } })

const white = () => clip({ seconds: 1, pattern: 'color=c=white' })

test('one side or a shape is enough', withFfmpeg, async () => {
  const size = async (options: object): Promise<string> => {
    const { output } = await run(await white(), [{ adapter: videoResize, options: { ...options } }])
    return `${output.width}x${output.height}`
  }
  assert.deepEqual(
    [
      await size({ width: 160 }),
      await size({ height: 90 }),
      await size({ aspect: '9:16' }),
      await size({ aspect: '1:1', width: 100 }),
      await size({ width: 101, height: 51 }),
    ],
    ['160x90', '160x90', '180x320', '100x100', '102x52'],
  )
})

test('pad has bars in the colour, cover has none, blur_pad has the picture behind', withFfmpeg, async () => {
  const top = async (fit: string): Promise<number[]> => {
    const { output } = await run(await white(), [
      { adapter: videoResize, options: { aspect: '1:1', fit, background: '#cc3311' } },
    ])
    return pixel(output.path, 0.5, 160, 20)
  }
  const [r, g, b] = await top('pad')
  assert.ok(Math.abs(r! - 0xcc) < 5 && Math.abs(g! - 0x33) < 5 && Math.abs(b! - 0x11) < 5, `${r} ${g} ${b}`)
  assert.ok((await top('cover')).every(value => value > 250))
  assert.ok((await top('blur_pad')).every(value => value > 180 && value < 250))
})

test('without any size it says what is missing', withFfmpeg, async () => {
  await assert.rejects(run(await white(), [{ adapter: videoResize }]), { code: 'option_missing', entry: 0 })
})

/** A drawn person who walks from the left to the right of a wide video; `middle` tells where at a time. */
async function walk(): Promise<{ file: MediaFile; middle: (seconds: number) => number }> {
  const still = fresh('.png')
  await writeFile(still, await drawnPeople(1400, 360, [{ left: 550, top: 40, side: 320 }]))
  const path = fresh('.mp4')
  // The camera moves to the left, so that the person moves to the right.
  const moving = `crop=800:360:x='max(40,560-130*t)':y=0`
  await ffmpeg('-loop', '1', '-framerate', '25', '-i', still, '-vf', moving, '-t', '4', ...x264, path)
  return { file: await opened(path), middle: seconds => 710 - Math.max(40, 560 - 130 * seconds) }
}

let walked: ReturnType<typeof walk> | undefined
/** The same for every test. */
const walker = () => {
  walked ??= walk()
  return walked
}

test('a window that keeps faces follows who walks by, and the middle loses them', withFfmpeg, async () => {
  const { file, middle } = await walker()
  const seen = async (options: object): Promise<number> => {
    const { output } = await run(file, [
      { adapter: videoResize, options: { height: 360, aspect: '9:16', fit: 'cover', ...options } },
    ])
    let whole = 0
    for (const seconds of [0.2, 1, 1.8, 2.6, 3.4, 3.9]) {
      const { data, width, height } = await frame(output.path, seconds)
      const faces = await facesOnWhole({ data, width, height, channels: 3, depth: 8 })
      // The face is 120 pixels wide and lies well inside.
      if (faces.some(face => face.left > 0 && face.left + face.width < width)) whole++
    }
    return whole
  }
  assert.equal(await seen({ gravity: 'faces' }), 6)
  assert.ok((await seen({})) < 4)
  assert.ok(middle(0) < 200 && middle(4) > 600)
})

/** Frames of a drawn person at the left, and behind a cut at the right. */
async function twoScenes(cutAt: number, frames: number): Promise<MediaFile> {
  const scenes = [10, 470].map(left => ({ left, still: fresh('.png') }))
  for (const { left, still } of scenes)
    await writeFile(still, await drawnPeople(800, 360, [{ left, top: 40, side: 320 }]))
  const inputs = scenes.flatMap(({ still }) => ['-loop', '1', '-framerate', '25', '-i', still])
  const cut = `[0]trim=end_frame=${cutAt}[a];[1]trim=end_frame=${frames - cutAt}[b];[a][b]concat`
  const path = fresh('.mp4')
  await ffmpeg(...inputs, '-filter_complex', cut, ...x264, path)
  return opened(path)
}

test('at a cut the window jumps, from one frame to the next', withFfmpeg, async () => {
  const cutAt = 41
  const { output, entries } = await run(await twoScenes(cutAt, 100), [
    { adapter: videoResize, options: { height: 360, aspect: '9:16', fit: 'cover', gravity: 'faces' } },
  ])
  assert.match(entries[0]!.decisions.join(' '), /the window follows them through 2 scenes\./)
  for (const shown of [0, cutAt - 1, cutAt, 99]) {
    const { data, width, height } = await frame(output.path, Math.max(0, shown - 0.4) / 25)
    const faces = await facesOnWhole({ data, width, height, channels: 3, depth: 8 })
    const middle = faces[0] ? faces[0].left + faces[0].width / 2 : 0
    assert.ok(faces.length === 1 && middle > width * 0.3 && middle < width * 0.7, `frame ${shown}: ${middle}`)
  }
})

test('neither a flash nor a moving camera is a cut', withFfmpeg, async () => {
  const { file } = await walker()
  const path = fresh('.mp4')
  await ffmpeg('-i', file.path, '-vf', "eq=brightness=0.7:enable='between(t,1.95,2.05)'", ...x264, path)
  const options = { aspect: '9:16', fit: 'cover', gravity: 'faces' }
  const { entries } = await run(await opened(path), [{ adapter: videoResize, options }])
  assert.match(entries[0]!.decisions.join(' '), /the window follows them\./)
})

test('with faces it says what it found, and `attention` decides where there are none', withFfmpeg, async () => {
  const { file } = await walker()
  const options = { aspect: '9:16', fit: 'cover', gravity: 'faces' }
  const { entries } = await run(file, [{ adapter: videoResize, options }])
  assert.match(entries[0]!.decisions.join(' '), /Found one face at once in 16 looks; the window follows them\./)
  assert.equal(entries[0]!.seen[0]!.faces.length, 1)
  const wall = await clip({ seconds: 1, pattern: 'color=c=0x305070' })
  const none = await run(wall, [{ adapter: videoResize, options }])
  assert.match(none.entries[0]!.decisions.join(' '), /No face was found, so `attention` decided what is kept\./)
  assert.deepEqual([none.output.width, none.output.height], [180, 320])
})

test('a position keeps its side, and what shows all of it looks for nobody', withFfmpeg, async () => {
  const path = fresh('.mp4')
  const halves = 'color=c=red:s=160x180:r=25:d=1[a];color=c=blue:s=160x180:r=25:d=1[b];[a][b]hstack'
  await ffmpeg('-filter_complex', halves, ...x264, path)
  const file = await opened(path)
  const middleOf = async (gravity: string): Promise<number[]> => {
    const { output } = await run(file, [
      { adapter: videoResize, options: { height: 180, width: 120, fit: 'cover', gravity } },
    ])
    return pixel(output.path, 0.5, 60, 90)
  }
  const [left, right] = [await middleOf('left'), await middleOf('right')]
  assert.ok(left[0]! > 200 && left[2]! < 60, String(left))
  assert.ok(right[2]! > 200 && right[0]! < 60, String(right))
  const { entries } = await run(file, [
    { adapter: videoResize, options: { aspect: '1:1', fit: 'pad', gravity: 'faces' } },
  ])
  assert.deepEqual(entries[0]!.seen, [])
})

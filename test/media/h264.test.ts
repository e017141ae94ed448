import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freeId, mergeRecords, parameterSets, sequenceFacts, unitsOf } from '#media/probe/h264.ts'
import { probeVideo } from '#media/probe/video-probe.ts'
import { clip, tools, withFfmpeg, x264 } from '../support/videos.ts'

const recordOf = async (...args: string[]): Promise<Uint8Array> => {
  const file = await clip({ seconds: 0.2, tone: null, size: '160x96', args })
  return (await probeVideo(file, tools)).video!.record!
}

test('the sequence tells depth, chroma and fields', withFfmpeg, async () => {
  assert.deepEqual(sequenceFacts(await recordOf(...x264)), { profile: 100, chroma: 1, bits: 8, interlaced: false })
  assert.equal(sequenceFacts(await recordOf('-c:v', 'libx264', '-pix_fmt', 'yuv420p10le')).bits, 10)
  assert.equal(sequenceFacts(await recordOf('-c:v', 'libx264', '-pix_fmt', 'yuv444p')).chroma, 3)
  assert.equal(sequenceFacts(await recordOf(...x264, '-flags', '+ilme+ildct')).interlaced, true)
})

test('records merge when they are equal or called by other ids, and not otherwise', withFfmpeg, async () => {
  const [own, same, other, named] = [
    await recordOf(...x264),
    await recordOf(...x264, '-g', '7'),
    await recordOf(...x264, '-profile:v', 'baseline'),
    await recordOf(...x264, '-x264-params', 'sps-id=7'),
  ]
  assert.equal(parameterSets(mergeRecords([own, same])!).sps.length, 1)
  assert.equal(mergeRecords([own, other]), null)
  const merged = parameterSets(mergeRecords([own, named])!)
  assert.deepEqual(
    [merged.spsIds, merged.ppsIds],
    [
      [0, 7],
      [0, 7],
    ],
  )
  assert.deepEqual([freeId([own]), freeId([named])], [7, 8])
})

test('units of a packet are told apart', () => {
  const unit = (type: number, length: number): number[] => [
    0,
    0,
    0,
    length,
    type,
    ...Array.from({ length: length - 1 }, () => 0),
  ]
  assert.deepEqual(unitsOf(Uint8Array.from([...unit(6, 3), ...unit(5, 4)]), 4), { idr: true, sets: false })
  assert.deepEqual(unitsOf(Uint8Array.from([...unit(7, 3), ...unit(1, 4)]), 4), { idr: false, sets: true })
})

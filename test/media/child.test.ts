// The real media child behind its pool: probes, runs, reports, and outlives every bad file.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { photoFlip } from '#adapters/transformers/photo_flip.ts'
import { probeWork, segmentWork } from '#engine/children/child-work.ts'
import type { ChildEvent, SegmentEntry, SegmentRequest } from '#engine/segment.ts'
import type { MediaFile } from '#media/file/file.ts'
import { newPool, type Pool } from '#media/process/pool.ts'
import { badPictures } from '../contract/image-adapter.ts'
import { cleanUp } from '../support/clean-up.ts'
import { type Folder, limits, look, newFolder, noTools, png, run, scene } from '../support/pictures.ts'
import { jailed, jailedRoom } from '../support/rooms.ts'

const script = fileURLToPath(new URL('../../src/child.ts', import.meta.url))

describe('a media child', () => {
  let pool: Pool
  let folder: Folder

  before(async () => {
    pool = newPool({ script, newRoom: jailedRoom, jailed, size: 1 })
    folder = await newFolder()
  })

  after(() =>
    cleanUp(
      () => pool.drain(),
      () => folder[Symbol.asyncDispose](),
    ),
  )

  const entry = (index: number, adapter: string, options: SegmentEntry['options']): SegmentEntry => ({
    index,
    adapter,
    options,
    assets: {},
    context: {},
  })

  async function request(input: MediaFile, entries: SegmentEntry[]): Promise<SegmentRequest> {
    return {
      kind: 'segment',
      form: 'image',
      input,
      entries,
      folder: await folder.empty(),
      limits,
      tools: noTools,
      threads: 1,
    }
  }

  it('probes a file', async () => {
    const input = await folder.file('in.png', await png(scene(80, 60)))
    const facts = await pool.run(probeWork({ kind: 'probe', path: input.path, limits, tools: noTools }))
    assert.deepEqual({ ...facts, path: input.path }, input)
  })

  it('runs a segment as this process would, and tells of its progress where it takes a while', async () => {
    const input = await folder.file('in.png', await png(scene(2500, 1800)))
    const events: ChildEvent[] = []
    // A look at the file tells of itself too, where the machine is so busy that it takes a while.
    const onEvent = (event: unknown): void => {
      if ('progress' in (event as object)) events.push(event as ChildEvent)
    }
    const turn = entry(3, 'photo_flip', { method: 'ROTATE_90' })
    const result = await pool.run(segmentWork(await request(input, [turn, { ...turn, index: 4 }])), { onEvent })
    const here = await run(folder, input, [{ adapter: photoFlip, options: { method: 'ROTATE_180' } }])
    assert.deepEqual(await look(result.output.path), await look(here.output.path))
    assert.deepEqual(
      events.map(({ progress }) => [progress.index, progress.fraction]),
      [
        [3, 1],
        [4, 0.5],
      ],
    )
    assert.deepEqual(
      result.entries.map(({ index }) => index),
      [3, 4],
    )
  })

  it('names the entry that failed', async () => {
    const input = await folder.file('in.png', await png(scene(80, 60)))
    const entries = [
      entry(5, 'photo_flip', { method: 'ROTATE_90' }),
      entry(6, 'photo_resize', {
        width: null,
        height: null,
        fit: 'cover',
        gravity: 'center',
        enlarge: false,
        background: '#ffffff',
      }),
    ]
    await assert.rejects(pool.run(segmentWork(await request(input, entries))), {
      code: 'option_missing',
      entry: 6,
      crash: false,
    })
    await assert.rejects(pool.run(segmentWork(await request(input, [entry(7, 'no_such_adapter', {})]))), {
      code: 'unknown_adapter',
      entry: 7,
    })
  })

  it('lives through every bad file', async () => {
    const { children } = pool.stats()
    for (const [name, bytes] of Object.entries(await badPictures())) {
      await folder.bytes(name, bytes)
      const probe = probeWork({ kind: 'probe', path: `${folder.path}/${name}`, limits, tools: noTools })
      await pool.run(probe).catch(() => null)
      const claimed: MediaFile = {
        path: `${folder.path}/${name}`,
        mime: 'image/jpeg',
        medium: 'image',
        ext: '.jpg',
        bytes: bytes.length,
        width: null,
        height: null,
        duration: null,
        frames: null,
      }
      await assert.rejects(
        pool.run(segmentWork(await request(claimed, [entry(0, 'photo_flip', { method: 'ROTATE_90' })]))),
        { entry: 0 },
        name,
      )
    }
    assert.deepEqual(pool.stats(), { children, busy: 0, waiting: 0, crashes: 0 })
  })
})

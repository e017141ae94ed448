import assert from 'node:assert/strict'
import { test } from 'node:test'
import { videoAddText } from '#adapters/transformers/video_add_text.ts'
import { videoAdapterContract } from '../../contract/video-adapter.ts'
import { clip, frameHashes, pixel, run, withFfmpeg } from '../../support/videos.ts'

videoAdapterContract(videoAddText, { options: { text: 'Summer 2026' } })

/** Whether any of a row of pixels is dark. */
async function written(path: string, seconds: number, y: number): Promise<boolean> {
  for (let x = 60; x < 260; x += 8) if ((await pixel(path, seconds, x, y))[1] < 120) return true
  return false
}

test('text stands in its box and nowhere else', withFfmpeg, async () => {
  const input = await clip({ pattern: 'color=c=white', seconds: 0.5 })
  const { output } = await run(input, [
    { adapter: videoAddText, options: { text: 'HHHHHHHH', color: '#000000', y: '40%', height: '20%' } },
  ])
  assert.deepEqual(
    [await written(output.path, 0.2, 90), await written(output.path, 0.2, 20), await written(output.path, 0.2, 160)],
    [true, false, false],
  )
})

test('text is never code: quotes, brackets and percent signs are only letters', withFfmpeg, async () => {
  const text = `':text='%{metadata:/etc/passwd}[out];drawtext=textfile=/etc/passwd \\`
  const { entries } = await run(await clip({ seconds: 0.5 }), [{ adapter: videoAddText, options: { text } }])
  const command = entries[0]!.command!.join(' ')
  assert.ok(!command.includes('passwd') && !command.includes('drawtext'))
})

test('in a window only the touched groups of pictures are encoded', withFfmpeg, async () => {
  const input = await clip({ seconds: 3 })
  const { output } = await run(input, [
    { adapter: videoAddText, options: { text: 'Hello', start: 1, end: 1.4, fade: 0.1 } },
  ])
  const [before, after] = [await frameHashes(input.path), await frameHashes(output.path)]
  assert.deepEqual([before.slice(0, 30), before.slice(45)], [after.slice(0, 30), after.slice(45)])
  assert.notDeepEqual(before.slice(30, 45), after.slice(30, 45))
})

test('no text changes nothing', withFfmpeg, async () => {
  const { entries } = await run(await clip(), [{ adapter: videoAddText, options: { text: ' ' } }])
  assert.ok(entries[0]!.decisions[0]!.startsWith('Copied the picture'))
})

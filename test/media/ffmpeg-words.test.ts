// What is said when ffmpeg fails: of the file, unless it was the command itself or the machine.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutShort, ffmpegProblem } from '#media/process/ffmpeg-failure.ts'

const damaged = [
  '[h264 @ 0x55722d4a6800] non-existing PPS 7 referenced\n[h264 @ 0x55722d4a6800] no frame!',
  '[aac @ 0x558c39b64f00] decode_pce: Input buffer exhausted before END element found',
  '[aac @ 0x56120f5220c0] Error parsing ADTS frame header!',
  '[h264 @ 0x1] Invalid NAL unit size (1000 > 10).',
  '[flac @ 0x1] invalid frame header',
  'words that nobody has heard yet',
  '',
]

const problem = (stderr: string, code: number | null, signal: NodeJS.Signals | null) =>
  ffmpegProblem({ stderr, code, signal }, 2e9)

test('what nobody told it comes of the file', () => {
  for (const said of damaged)
    for (const code of [1, 69, 183, 234]) assert.equal(problem(said, code, null).code, 'corrupt_input', said)
})

test('an end that is not its own says nothing of the file, whatever it has written before', () => {
  const warnings = 'Codec (mov_text) not on whitelist\nCannot allocate memory\nInvalid data found'
  const ends: [number | null, NodeJS.Signals | null][] = [
    ...(['SIGKILL', 'SIGTERM', 'SIGSEGV', 'SIGHUP', 'SIGABRT'] as const).map(
      signal => [null, signal] as [null, typeof signal],
    ),
    // By way of a shell; of its own after a signal; a program or a library that could not be loaded.
    ...[128 + 9, 128 + 15, 255, 126, 127].map(code => [code, null] as [number, null]),
  ]
  for (const [code, signal] of ends) {
    const { code: told, crash } = problem(warnings, code, signal)
    assert.deepEqual([told, crash], ['media_failed', true], String(signal ?? code))
    assert.equal(cutShort('ffprobe', { stderr: warnings, code, signal })?.crash, true)
  }
  assert.equal(problem('prlimit: failed to set the DATA resource limit: Operation not permitted', 1, null).crash, true)
})

test('limits are told as what they are, by way of a shell too', () => {
  assert.equal(problem('', null, 'SIGXFSZ').code, 'output_too_large')
  assert.equal(problem('', 128 + 25, null).code, 'output_too_large')
  assert.equal(problem('', 128 + 24, null).code, 'time_limit')
  const memory = problem('Cannot allocate memory', 1, null)
  assert.deepEqual([memory.code, /2,000 MB/.test(memory.message)], ['memory_limit', true])
})

test('a machine that is full is no verdict', () => {
  for (const said of ['av_interleaved_write_frame(): No space left on device', 'Read-only file system'])
    assert.deepEqual([problem(said, 1, null).code, problem(said, 228, null).code], ['unavailable', 'unavailable'])
})

test('a command that is wrong is our own fault, a codec that is missing that of the machine or the file', () => {
  assert.equal(problem("Unrecognized option 'foo'.", 1, null).code, 'media_failed')
  assert.equal(problem('Error initializing complex filters.', 1, null).code, 'media_failed')
  assert.equal(problem("Unknown encoder 'libx264'", 1, null).code, 'tool_missing')
  assert.equal(problem('Decoder (codec none) not found for input stream #0:0', 1, null).code, 'unsupported_format')
})

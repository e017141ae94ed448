// What is said when ffmpeg fails: of the file, unless it was the command itself or the machine.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ffmpegProblem } from '#media/process/ffmpeg-failure.ts'

const damaged = [
  '[h264 @ 0x55722d4a6800] non-existing PPS 7 referenced\n[h264 @ 0x55722d4a6800] no frame!',
  '[aac @ 0x558c39b64f00] decode_pce: Input buffer exhausted before END element found',
  '[aac @ 0x56120f5220c0] Error parsing ADTS frame header!',
  '[h264 @ 0x1] Invalid NAL unit size (1000 > 10).',
  '[flac @ 0x1] invalid frame header',
  'words that nobody has heard yet',
  '',
]

test('what nobody told it comes of the file', () => {
  for (const said of damaged) assert.equal(ffmpegProblem(said, 1, null).code, 'corrupt_input', said)
  // A decoder that crashed, outside of namespaces and inside.
  assert.equal(ffmpegProblem('', null, 'SIGSEGV').code, 'corrupt_input')
  assert.equal(ffmpegProblem('', 139, null).code, 'corrupt_input')
})

test('limits are told as what they are, inside of namespaces too', () => {
  assert.equal(ffmpegProblem('', null, 'SIGXFSZ').code, 'output_too_large')
  assert.equal(ffmpegProblem('', 128 + 25, null).code, 'output_too_large')
  assert.equal(ffmpegProblem('', 128 + 24, null).code, 'time_limit')
  assert.equal(ffmpegProblem('', 128 + 9, null).code, 'memory_limit')
  assert.equal(ffmpegProblem('Cannot allocate memory', 1, null).code, 'memory_limit')
})

test('a command that is wrong is our own fault, a codec that is missing that of the machine or the file', () => {
  assert.equal(ffmpegProblem("Unrecognized option 'foo'.", 1, null).code, 'media_failed')
  assert.equal(ffmpegProblem('Error initializing complex filters.', 1, null).code, 'media_failed')
  assert.equal(ffmpegProblem("Unknown encoder 'libx264'", 1, null).code, 'tool_missing')
  assert.equal(
    ffmpegProblem('Decoder (codec none) not found for input stream #0:0', 1, null).code,
    'unsupported_format',
  )
})

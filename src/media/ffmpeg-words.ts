// What ffmpeg says when it fails, in words for the operator; its own go to the run record.
import { MediaProblem } from './problem.ts'

type Verdict = [pattern: RegExp, code: ConstructorParameters<typeof MediaProblem>[0], sentence: string]

const verdicts: Verdict[] = [
  [
    /not on whitelist|not in whitelist|Operation not permitted/i,
    'policy_blocked',
    'The file asks for a reader that is not allowed here.',
  ],
  [
    /Cannot allocate memory|Error allocating|out of memory|malloc of size/i,
    'memory_limit',
    'It needs more memory than one step may take.',
  ],
  [
    /Unknown encoder|Unknown decoder|No such filter|Decoder [^\n]{0,200} not found/i,
    'tool_missing',
    'This ffmpeg lacks something that the step needs; the check-up tells what.',
  ],
  [/No space left on device/i, 'unavailable', 'The disk is full.'],
  [/File too large/i, 'output_too_large', 'The result grows larger than one file may be.'],
  [
    /max_pixels|picture size [^\n]{0,200} (?:is invalid|exceeds)/i,
    'too_many_pixels',
    'The frames are larger than is taken here.',
  ],
  [
    /Invalid data found|Error while decoding|moov atom not found|error while decoding|partial file|Truncat|corrupt|Invalid NAL|Error opening input|could not find codec parameters|Invalid argument[^\n]{0,200}demux|Error submitting packet|End of file/i,
    'corrupt_input',
    'The recording is damaged or ends early: it could not be read to its end.',
  ],
]

const bySignal: Record<string, Verdict> = {
  SIGXFSZ: [/./, 'output_too_large', 'The result grows larger than one file may be.'],
  SIGXCPU: [/./, 'time_limit', 'It took more processor time than one step may take.'],
}

export function inFfmpegsWords(stderr: string, code: number | null, signal: NodeJS.Signals | null): MediaProblem {
  const said = stderr.trim()
  const detail = `ffmpeg ended with ${signal ?? code}\n${said}`.slice(-4000)
  const found = (signal && bySignal[signal]) || verdicts.find(([pattern]) => pattern.test(said))
  if (found) return new MediaProblem(found[1], found[2], { detail })
  return new MediaProblem('media_failed', 'ffmpeg could not make the result, for a reason that is in the log.', {
    detail,
  })
}

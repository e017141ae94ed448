// Turns ffmpeg's error output into a problem that an operator understands. The original output goes to the run record.
import { constants } from 'node:os'
import { MediaProblem } from '../file/media-problem.ts'

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
    /Unknown encoder|Unknown decoder|No such filter/i,
    'tool_missing',
    'This ffmpeg lacks something that the step needs; the check-up tells what.',
  ],
  [
    /Decoder \(codec [^)\n]{0,200}\) not found/i,
    'unsupported_format',
    'The recording is in a format that this machine has no decoder for.',
  ],
  [/No space left on device/i, 'unavailable', 'The disk is full.'],
  [/File too large/i, 'output_too_large', 'The result grows larger than one file may be.'],
  [
    /max_pixels|picture size [^\n]{0,200} (?:is invalid|exceeds)/i,
    'too_many_pixels',
    'The frames are larger than is taken here.',
  ],
  // These messages mean that our own command line is wrong. Every other failure comes from the input.
  [
    /Unrecognized option|Error splitting the argument|Error parsing (?:global )?options|Option \S{1,200} not found|Error initializing (?:complex )?filter/i,
    'media_failed',
    'ffmpeg could not make the result, for a reason that is in the log.',
  ],
]

/** By signal number. Inside namespaces ffmpeg's signal arrives as exit code 128 + number. */
const bySignal: Record<number, Verdict> = {
  [constants.signals.SIGXFSZ]: [/./, 'output_too_large', 'The result grows larger than one file may be.'],
  [constants.signals.SIGXCPU]: [/./, 'time_limit', 'It took more processor time than one step may take.'],
  // We did not send this SIGKILL (then a verdict would be set already): the kernel did, because memory ran out.
  [constants.signals.SIGKILL]: [/./, 'memory_limit', 'It needs more memory than there is.'],
}

const ENDED_BY_SIGNAL = 128

const damaged: Verdict = [
  /./,
  'corrupt_input',
  'The recording is damaged or ends early: it could not be read to its end.',
]

export function ffmpegProblem(stderr: string, code: number | null, signal: NodeJS.Signals | null): MediaProblem {
  const said = stderr.trim()
  const detail = `ffmpeg ended with ${signal ?? code}\n${said}`.slice(-4000)
  const number = signal ? constants.signals[signal] : (code ?? 0) - ENDED_BY_SIGNAL
  const [, verdict, sentence] = bySignal[number] ?? verdicts.find(([pattern]) => pattern.test(said)) ?? damaged
  return new MediaProblem(verdict, sentence, { detail })
}

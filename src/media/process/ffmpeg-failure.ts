// Turns ffmpeg's error output into a problem that an operator understands. The original output goes to the run record.
import { constants } from 'node:os'
import { megabytes } from '../file/media-limits.ts'
import { MediaProblem } from '../file/media-problem.ts'

type Verdict = [pattern: RegExp, code: ConstructorParameters<typeof MediaProblem>[0], sentence: string]

/** `memoryBytes`: what the command could have. */
const verdicts = (memoryBytes: number): Verdict[] => [
  [
    /not on whitelist|not in whitelist|Operation not permitted/i,
    'policy_blocked',
    'The file asks for a reader that is not allowed here.',
  ],
  [
    /Cannot allocate memory|Error allocating|out of memory|malloc of size/i,
    'memory_limit',
    `It needs more than the ${megabytes(memoryBytes)} MB that one step may take for frames of its size.`,
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
  [
    /No space left on device|Disk quota exceeded|Read-only file system|Too many open files in system|pthread_create/i,
    'unavailable',
    'The machine has no room for it now.',
  ],
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

const damaged: Verdict = [
  /./,
  'corrupt_input',
  'The recording is damaged or ends early: it could not be read to its end.',
]

/** How a tool ended. */
interface ToolEnd {
  stderr: string
  code: number | null
  signal: NodeJS.Signals | null
}

/** The kernel ends a tool by these at the limits that we set. By signal number. */
const ownLimits: Record<number, [ConstructorParameters<typeof MediaProblem>[0], string]> = {
  [constants.signals.SIGXFSZ]: ['output_too_large', 'The result grows larger than one file may be.'],
  [constants.signals.SIGXCPU]: ['time_limit', 'It took more processor time than one step may take.'],
}

/** A shell tells of a signal by exit code 128 + number. */
const ENDED_BY_SIGNAL = 128
const SIGNALS = 31
/** ffmpeg was told by signals to stop (255, 123); a program or a library could not be loaded (126, 127). */
const notItsOwn = new Set([255, 123, 126, 127])

/** The problem of a tool that was ended, or never began. Null: it ran to its own end, so what it says is about the file. */
export function cutShort(tool: string, { stderr, code, signal }: ToolEnd): MediaProblem | null {
  const detail = detailOf(tool, { stderr, code, signal })
  const number = signal ? constants.signals[signal] : (code ?? 0) - ENDED_BY_SIGNAL
  const limit = ownLimits[number]
  if (limit) return new MediaProblem(...limit, { detail })
  const bySignal = number > 0 && number <= SIGNALS
  if (!bySignal && !notItsOwn.has(code ?? 0) && !stderr.startsWith('prlimit: ')) return null
  return new MediaProblem('media_failed', `${tool} was ended in the middle of its work.`, { crash: true, detail })
}

const detailOf = (tool: string, { stderr, code, signal }: ToolEnd): string =>
  `${tool} ended with ${signal ?? code}\n${stderr.trim()}`.slice(-4000)

export function ffmpegProblem(end: ToolEnd, memoryBytes: number): MediaProblem {
  const ended = cutShort('ffmpeg', end)
  if (ended) return ended
  const detail = detailOf('ffmpeg', end)
  const said = end.stderr.trim()
  const [, verdict, sentence] = verdicts(memoryBytes).find(([pattern]) => pattern.test(said)) ?? damaged
  return new MediaProblem(verdict, sentence, { detail })
}

// ffmpeg as one types it: a line of words, run and waited for.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const exec = promisify(execFile)

/** Splits what is written at its spaces; a value that is put in never falls apart, whatever is in it. */
export function line(parts: TemplateStringsArray, ...values: (string | number | readonly string[])[]): string[] {
  const hole = (i: number): string => `\0${i}\0`
  const text = parts.map((part, i) => (i < values.length ? part + hole(i) : part)).join('')
  return text
    .trim()
    .split(/\s+/)
    .flatMap(word => {
      const alone = /^\0(\d+)\0$/.exec(word)
      const value = alone ? values[Number(alone[1])] : undefined
      if (Array.isArray(value)) return [...value]
      return [word.replace(/\0(\d+)\0/g, (_, i) => String(values[Number(i)]))]
    })
}

/** What it says on its error channel. */
export const ffmpeg = async (args: readonly string[]): Promise<string> =>
  (await exec('ffmpeg', ['-hide_banner', '-nostdin', '-y', ...args], { maxBuffer: 1e8 })).stderr

export const quiet = (args: readonly string[]): Promise<string> => ffmpeg(['-v', 'error', ...args])

export const COLOUR = line`-color_primaries bt709 -color_trc bt709 -colorspace bt709 -color_range tv`
export const X264 = line`-c:v libx264 -preset veryfast -crf 21 -pix_fmt yuv420p -g 60 ${COLOUR}`
export const AAC = line`-c:a aac -b:a 128k -ar 48000 -ac 2`
export const END = line`-movflags +faststart`

/** Structural similarity in decibels, as ffmpeg tells it. */
export async function ssimDb(a: string, b: string): Promise<number> {
  const told = await ffmpeg(line`-i ${a} -i ${b} -lavfi [0:v][1:v]ssim -f null -`)
  return Number(/All:[\d.]+ \(([\d.]+|inf)\)/.exec(told)?.[1] ?? Number.NaN)
}

/** One hash for every frame that a decoder shows. */
export async function frameHashes(path: string): Promise<string[]> {
  const { stdout } = await exec('ffmpeg', line`-v error -i ${path} -map 0:v -f framemd5 -`, { maxBuffer: 1e8 })
  return stdout
    .split('\n')
    .filter(text => text !== '' && !text.startsWith('#'))
    .map(text => text.split(',').at(-1)!.trim())
}

// Runs a program to its end, and says what it said if it fails.
import { type SpawnSyncOptions, spawnSync } from 'node:child_process'

const TEN_MINUTES_MS = 600_000

export function run(
  program: string,
  args: readonly string[],
  options: SpawnSyncOptions = {},
): { stdout: string; stderr: string } {
  const done = spawnSync(program, args, {
    timeout: TEN_MINUTES_MS,
    maxBuffer: 256 * 1024 ** 2,
    ...options,
    encoding: 'utf8',
  })
  if (done.error) throw done.error
  const { status, stdout, stderr } = done
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}:\n${stdout}\n${stderr}`)
  return { stdout, stderr }
}

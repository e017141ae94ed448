// Takes away what a test has started: every step is tried, whatever became of the others, and none lasts for ever.
import { soon } from './until.ts'

type Step = () => unknown

const STEP_MS = 60_000

/** Takes the steps in turn. What went wrong is told when all of them have been tried. */
export async function cleanUp(...steps: Step[]): Promise<void> {
  const failures: unknown[] = []
  for (const step of steps) {
    try {
      await soon(`this is cleared away: ${step}`, Promise.resolve(step()), STEP_MS)
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length === 1) throw failures[0]
  if (failures.length > 1) throw new AggregateError(failures, 'not all could be cleared away')
}

/** Starts something that consists of parts. If one can't be started, what was before it is taken away again. */
export async function startOrCleanUp<T>(start: (later: (step: Step) => void) => Promise<T>): Promise<T> {
  const steps: Step[] = []
  try {
    return await start(step => void steps.unshift(step))
  } catch (error) {
    await cleanUp(...steps).catch(() => {})
    throw error
  }
}

/** Ends a process by its id; one that is gone already is as good. */
export function killAnyway(pid: number | undefined, signal: NodeJS.Signals = 'SIGKILL'): void {
  // 0 and negative numbers would mean whole groups.
  if (!pid || pid < 0) return
  try {
    process.kill(pid, signal)
  } catch {
    // Gone already.
  }
}

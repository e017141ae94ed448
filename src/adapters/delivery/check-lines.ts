// Lines of the check before doors open: what was tried, and whether it worked.
import type { CheckLine } from '#engine/adapter.ts'
import { isProblem } from '#kit/errors.ts'
import { newId } from '#kit/ids.ts'

/** Runs one trial; what it returns is the green line's detail, a Problem the red one's. */
export async function tried(what: string, trial: () => Promise<string>): Promise<CheckLine> {
  try {
    return { ok: true, what, detail: await trial() }
  } catch (error) {
    return {
      ok: false,
      what,
      detail: isProblem(error) ? error.message : 'It failed for a reason of our own; see the log.',
    }
  }
}

/** A line for what a check cannot do without doing harm, so that green never means more than was proven. */
export const notTried = (what: string, why: string): CheckLine => ({
  ok: true,
  what: `Not tried: ${what}`,
  detail: why,
})

interface Probe {
  name: string
  content: Buffer
  mime: string
}

/** A small file under a name that no delivery has. */
export const newProbe = (): Probe => {
  const id = newId()
  return {
    name: `keepsake-check-${id}.txt`,
    content: Buffer.from(`Keepsake was here to check this destination. ${id}\n`),
    mime: 'text/plain',
  }
}

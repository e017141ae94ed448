// The process that measures comes first: its own wait for a processor is not that of what it measures.
import { setPriority } from 'node:os'

/** Waiting for a processor ourselves would be counted as theirs. What is started meanwhile would inherit it, so nothing is. */
export async function first<T>(work: () => Promise<T>): Promise<T> {
  const may = process.getuid?.() === 0
  if (may) setPriority(-10)
  try {
    return await work()
  } finally {
    if (may) setPriority(0)
  }
}

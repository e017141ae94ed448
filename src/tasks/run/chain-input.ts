// Finds the file a chain starts from: uploaded, downloaded now, or the output of an earlier chain of the task.

import { retryWhileAway } from '#db/retry-while-away.ts'
import type { StoredFile } from '#db/tables.ts'
import { deferEntry, keepDownload } from '#db/tasks/entry-rows.ts'
import { rememberUpload } from '#db/tasks/upload-rows.ts'
import { Problem } from '#kit/errors.ts'
import { UnknownName, Unreachable } from '#kit/net/dial.ts'
import { inputFile } from '../entry/input-file.ts'
import { type Chain, chainOutput, type Entry, hasEnded, withEntries } from '../entry/loaded.ts'
import { elsewhere, failed, type Outcome, retryAt } from './outcome.ts'
import { pauseOf, usesAttempt, waitingError } from './retry-policy.ts'
import type { Run } from './run.ts'
import { countRetry, ended, writeEnds } from './write-ends.ts'

/** The chain after the step and its file, or why there is no file now. */
type FoundInput = { chain: Chain } & ({ file: StoredFile } | { file: null; outcome: Outcome })

export async function chainInput(run: Run, chain: Chain): Promise<FoundInput> {
  const { input } = chain
  if ('file' in input) return { chain, file: input.file }
  // Whatever its entries wait for: only a download is put off itself.
  const made = 'from' in input ? chainOutput(run.task, input.from) : null
  if (made) return { chain, file: made }
  const { retry_at } = firstOpen(chain)
  if (retry_at !== null && retry_at.getTime() > Date.now())
    return { chain, file: null, outcome: retryAt(retry_at, 'transfer') }
  try {
    if ('url' in input) {
      if (!run.slots.has('transfer')) return { chain, file: null, outcome: elsewhere('transfer') }
      const file = await download(run, chain, input.url)
      return { chain: { ...chain, input: { file } }, file }
    }
    throw new Problem('asset_missing', `The output of "${input.from}" is not there.`)
  } catch (error) {
    if (run.signal.aborted) return { chain, file: null, outcome: failed }
    if (!(error instanceof Problem)) throw error
    return failOrDefer(run, chain, error)
  }
}

/** The entry that records a failed or deferred input. */
const firstOpen = (chain: Chain): Entry =>
  (chain.entries.find(entry => entry.input_idx === null && !hasEnded(entry)) ??
    chain.entries.find(entry => !hasEnded(entry))) as Entry

async function download(run: Run, chain: Chain, url: string): Promise<StoredFile> {
  const { db, outbound, blobs, settings } = run.services
  const rest = run.clock.start()
  try {
    const body = await outbound.download(url, { maxBytes: settings.maxUploadBytes, signal: run.signal })
    const stored = await blobs.put(body, {
      maxBytes: settings.maxUploadBytes,
      signal: run.signal,
      announce: blob => retryWhileAway(() => rememberUpload(db, blob)),
    })
    const file = await inputFile(stored)
    await retryWhileAway(() => keepDownload(db, run.claim, chain.chain_id, { file }, file.blob))
    return file
  } finally {
    rest()
  }
}

/** Why a download failed that may come about later, as a delivery does. A name that nobody may reach stays one. */
const unreachable = ({ cause }: Problem): Problem | null =>
  cause instanceof Unreachable && !(cause instanceof UnknownName) ? cause : null

async function failOrDefer(run: Run, chain: Chain, problem: Problem): Promise<FoundInput> {
  const { db } = run.services
  const { chain_id } = chain
  const before = firstOpen(chain)
  const first = { ...before, attempts: before.attempts + (usesAttempt(problem) ? 1 : 0) }
  const retryMs = pauseOf(first, unreachable(problem) ?? problem)
  const after = (entry: Entry): Chain => withEntries(chain, [entry])
  if (retryMs !== null) {
    const at = new Date(Date.now() + retryMs)
    const error = waitingError(first, problem)
    await retryWhileAway(() => deferEntry(db, run.claim, chain_id, first, at, error))
    countRetry(run.services, first)
    return { chain: after({ ...first, retry_at: at, error }), file: null, outcome: retryAt(at, 'transfer') }
  }
  const error = { code: problem.code, message: problem.message }
  const end = { index: first.index, status: 'Failed' as const, error }
  await writeEnds(run.services, run.claim, chain, [end])
  return { chain: after(ended(first, end)), file: null, outcome: failed }
}

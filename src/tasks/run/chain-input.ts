// The file a chain starts from: uploaded, downloaded now, or the output of an earlier configuration of the group.

import type { StoredFile } from '#db/tables.ts'
import { deferEntry, endEntries, keepDownload } from '#db/tasks/entry-rows.ts'
import type { EntryRow } from '#db/tasks/task-rows.ts'
import { rememberUpload } from '#db/tasks/upload-rows.ts'
import { withPatience } from '#db/while-away.ts'
import { sniffHead } from '#engine/files.ts'
import { Problem } from '#kit/errors.ts'
import { type Chain, chainOutput } from '../entry/loaded.ts'
import { elsewhere, type Later } from './place.ts'
import { retryAfterMs } from './retry-policy.ts'
import { hasEnded, type Run } from './run.ts'

/** Later: it has to be brought, but not now or not here. Null: there is no input, and the entries that wanted it have failed or the run was cut off. */
export async function chainInput(run: Run, chain: Chain): Promise<StoredFile | Later | null> {
  const { input } = chain
  if ('file' in input) return input.file
  const { retry_at } = firstOpen(chain)
  if (retry_at !== null && retry_at.getTime() > Date.now()) return { at: retry_at, needs: 'transfer' }
  try {
    if ('url' in input) return run.place.has('transfer') ? await download(run, chain, input.url) : elsewhere('transfer')
    const file = chainOutput(run.task, input.from)
    if (file) return file
    throw new Problem('asset_missing', `The output of "${input.from}" is not there.`)
  } catch (error) {
    if (run.signal.aborted) return null
    if (!(error instanceof Problem)) throw error
    return failOrDefer(run, chain, error)
  }
}

/** The entry that is told of what becomes of the input. */
const firstOpen = (chain: Chain): EntryRow =>
  (chain.entries.find(entry => entry.input_idx === null && !hasEnded(entry)) ??
    chain.entries.find(entry => !hasEnded(entry))) as EntryRow

async function download(run: Run, chain: Chain, url: string): Promise<StoredFile> {
  const { db, outbound, blobs, settings } = run.services
  const rest = run.clock.start()
  try {
    const { body } = await outbound.download(url, { maxBytes: settings.maxUploadBytes, signal: run.signal })
    const announce = (blob: string) => withPatience(() => rememberUpload(db, blob))
    const { blob, bytes, sha256, head } = await blobs.put(body, {
      maxBytes: settings.maxUploadBytes,
      signal: run.signal,
      announce,
    })
    const file: StoredFile = {
      ...(await sniffHead(head)),
      blob,
      bytes,
      sha256,
      width: null,
      height: null,
      duration: null,
      frames: null,
    }
    await withPatience(() => keepDownload(db, run.claim, chain.chain_id, { file }, blob))
    chain.input = { file }
    return file
  } finally {
    rest()
  }
}

async function failOrDefer(run: Run, chain: Chain, problem: Problem): Promise<Later | null> {
  const { db } = run.services
  const first = firstOpen(chain)
  first.attempts++
  const retryMs = retryAfterMs(problem, first.attempts)
  const error = { code: problem.code, message: problem.message }
  if (retryMs !== null) {
    const retryAt = new Date(Date.now() + retryMs)
    await withPatience(() => deferEntry(db, run.claim, chain.chain_id, first.index, retryAt, error, true))
    Object.assign(first, { retry_at: retryAt, error })
    return { at: retryAt, needs: 'transfer' }
  }
  const ends = [{ index: first.index, status: 'Failed' as const, error }]
  await withPatience(() => endEntries(db, run.claim, { chain_id: chain.chain_id, ends, blobs: [] }))
  Object.assign(first, { status: 'Failed', error })
  return null
}

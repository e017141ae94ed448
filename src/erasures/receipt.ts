// The receipt of an erasure: what is gone, what can't be taken back and why, what is still to be reached. It names no person.
import type { ErasureLine, ErasureRow } from '#db/erasures/erasure-rows.ts'

interface ReceiptLine {
  what: ErasureLine['what']
  task_id: string
  /** Of a delivery: the entry. */
  index?: number
  configuration?: string
  adapter_name?: string
  /** Of a callback: the host it went to. */
  receiver?: string
  at: string
}

interface KeptLine extends ReceiptLine {
  /** `shared`, or why it stays. */
  code: string
  reason: string
}

export interface ReceiptBody {
  erasure_id: string
  asked_by: 'operator' | 'guest'
  status: ErasureRow['status']
  asked_at: string
  made_at: string
  counts: ErasureRow['counts']
  removed: ReceiptLine[]
  kept: KeptLine[]
  pending: (KeptLine & { tries: number; next_try_at: string; until: string })[]
  /** Ids of tasks that stay because they name other guests too. */
  shared: string[]
  backups: { made_before: string; reason: string }
}

const DAY_MS = 86_400_000
/** How long a target that can't be reached is tried. */
export const TRIED_DAYS = 7

export const triedUntil = ({ created_at }: Pick<ErasureRow, 'created_at'>): Date =>
  new Date(created_at.getTime() + TRIED_DAYS * DAY_MS)

export function receiptBody(erasure: ErasureRow, lines: readonly ErasureLine[]): ReceiptBody {
  const { erasure_id, status, created_at, counts } = erasure
  const of = (state: ErasureLine['state']) => lines.filter(line => line.state === state)
  const now = new Date()
  return {
    erasure_id,
    asked_by: erasure.receipt_hash ? 'guest' : 'operator',
    status,
    asked_at: created_at.toISOString(),
    made_at: now.toISOString(),
    counts,
    removed: of('removed').map(receiptLine),
    kept: of('kept').map(keptLine),
    pending: of('pending').map(line => ({
      ...keptLine(line),
      tries: line.tries,
      next_try_at: (line.next_at ?? now).toISOString(),
      until: triedUntil(erasure).toISOString(),
    })),
    shared: lines.filter(({ code }) => code === 'shared').map(({ task_id }) => task_id),
    backups: {
      made_before: (erasure.done_at ?? now).toISOString(),
      reason:
        'Backups of the database and of the files that were made before this time still hold it, until they are deleted.',
    },
  }
}

/** The text that is signed. */
export const receiptText = (body: ReceiptBody): string => JSON.stringify(body)

function receiptLine({
  what,
  task_id,
  index,
  configuration,
  adapter_name,
  receiver,
  updated_at,
}: ErasureLine): ReceiptLine {
  return {
    what,
    task_id,
    ...(what === 'delivery' && { index }),
    ...(configuration !== null && { configuration }),
    ...(adapter_name !== null && { adapter_name }),
    ...(receiver !== null && { receiver }),
    at: updated_at.toISOString(),
  }
}

const keptLine = (line: ErasureLine): KeptLine => ({
  ...receiptLine(line),
  code: line.code ?? '',
  reason: line.reason ?? '',
})

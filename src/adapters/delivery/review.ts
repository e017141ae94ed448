// What a destination can say of its options before it runs: the checks of the run, as remarks.
import type { Remark } from '#engine/adapter.ts'
import { withStandIns } from '#engine/placeholders.ts'
import { isProblem } from '#kit/errors.ts'
import { type Naming, whyUnusable } from './delivery-options.ts'

/** What a check of the run refuses, by `badOption`. */
export function remarksBy(check: () => unknown): Remark[] {
  try {
    check()
    return []
  } catch (error) {
    if (!isProblem(error, 'bad_options', 'option_missing') || !error.errors) throw error
    const kind = error.code === 'bad_options' ? 'wrong' : 'missing'
    return error.errors.map(({ field, message }) => ({ kind, field, message }))
  }
}

/** Whatever placeholders stand for, a name that is unusable around them stays so. */
export function reviewNaming(options: Naming): Remark[] {
  const file_prefix = withStandIns(options.file_prefix)
  const file_name = withStandIns(options.file_name)
  const why = whyUnusable({ file_prefix, file_name })
  if (why === null) return []
  const field = whyUnusable({ file_prefix: '', file_name }) === null ? 'file_prefix' : 'file_name'
  const other = field === 'file_name' ? 'file_prefix' : 'file_name'
  return [{ kind: 'wrong', field, message: `must make a usable name together with ${other}: ${why}` }]
}

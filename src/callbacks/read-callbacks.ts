// Reading callbacks, as far as the caller may see them.

import type { Queries } from '#db/database.ts'
import { type CallbackWithAttempts, findCallbackWithAttempts } from '#db/nouns/callbacks-read.ts'
import type { Visible } from '#db/visible.ts'
import { Problem } from '#kit/errors.ts'
import { isId } from '#kit/ids.ts'

export { type CallbackWithAttempts, listCallbacks } from '#db/nouns/callbacks-read.ts'

export async function readCallback(db: Queries, visible: Visible, id: string): Promise<CallbackWithAttempts> {
  const row = isId(id) ? await findCallbackWithAttempts(db, visible, id) : undefined
  if (!row) throw new Problem('not_found', `There is no callback "${id}".`)
  return row
}

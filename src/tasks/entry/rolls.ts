// Counts for a delivery what it uses of the rolls of printers, so that each print counts once whatever crashes.
import type { Db } from '#db/database.ts'
import { changeRolls, dropPrint, givePrintBack, listRolls, noteEmpty, takePrint } from '#db/nouns/printer-rows.ts'
import { retryWhileAway } from '#db/retry-while-away.ts'
import type { Rolls } from '#engine/adapter.ts'

export const rollsOf = (db: Db, marker: string): Rolls => ({
  read: printers => retryWhileAway(() => listRolls(db, printers)),
  take: (printer, copies, most) => retryWhileAway(() => takePrint(db, { marker, printer, copies, most })),
  giveBack: () => retryWhileAway(() => givePrintBack(db, marker)),
  settle: () => retryWhileAway(() => dropPrint(db, marker)),
  async seen(printer, isEmpty) {
    const wasEmpty = await retryWhileAway(() => noteEmpty(db, printer, isEmpty))
    if (wasEmpty && !isEmpty) await retryWhileAway(() => changeRolls(db, [printer]))
  },
})

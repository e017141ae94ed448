// What is used of a printer's roll: counted once for each delivery, whatever is repeated, moved or changed meanwhile.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '#db/database.ts'
import { migrate } from '#db/migrate.ts'
import { changeRolls, dropPrint, givePrintBack, listRolls, noteEmpty, takePrint } from '#db/nouns/printer-rows.ts'
import { newLog } from '#kit/log.ts'
import { emptyDatabase } from '../support/postgres.ts'

test('prints of a roll are counted once, and given back once', async t => {
  const { url } = await emptyDatabase(t)
  await migrate(url)
  const { db, close } = openDatabase(url, newLog('silent', 'test'))
  t.after(close)
  const used = async () => Object.fromEntries((await listRolls(db, ['a', 'b'])).map(each => [each.printer, each.used]))
  const take = (marker: string, printer = 'a', copies = 1, most: number | null = 10) =>
    takePrint(db, { marker, printer, copies, most })

  assert.deepEqual(await used(), { a: 0, b: 0 })
  const many = await Promise.all(Array.from({ length: 15 }, (_, index) => take(`${index}`)))
  assert.equal(many.filter(Boolean).length, 10, 'of many at once only as many as the roll has')
  const [taken = ''] = many.flatMap((isTaken, index) => (isTaken ? `${index}` : []))
  assert.equal(await take(taken), true, 'the same delivery again counts no further')
  assert.deepEqual(await used(), { a: 10, b: 0 })

  assert.equal(await take(taken, 'b', 2), true)
  assert.deepEqual(await used(), { a: 9, b: 2 }, 'it has moved')
  assert.equal((await listRolls(db, ['b', 'a']))[0]?.printer, 'a', 'taken longest ago')
  await givePrintBack(db, taken)
  await givePrintBack(db, taken)
  assert.deepEqual(await used(), { a: 9, b: 0 })

  const rest = many.flatMap((isTaken, index) => (isTaken && `${index}` !== taken ? `${index}` : []))
  for (const marker of rest.slice(1)) await dropPrint(db, marker)
  await changeRolls(db, ['a', 'never seen'])
  assert.deepEqual(await used(), { a: 1, b: 0 }, 'what is on its way comes out of the new roll')
  await givePrintBack(db, rest[0] ?? '')
  assert.deepEqual(await used(), { a: 0, b: 0 })

  assert.equal(await noteEmpty(db, 'a', false), false)
  assert.equal(await noteEmpty(db, 'a', true), false)
  assert.equal(await noteEmpty(db, 'a', false), true)
})

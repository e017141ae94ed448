// Watches that nobody who holds a database connection for a transaction asks for another one: enough of them at once would wait for ever.
import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { type Transaction, TransactionBuilder } from 'kysely'
import pg from 'pg'

/** The stack of each request for a second connection. */
const second: string[] = []
let watching = false

/** Of everything that runs in this process from now on. */
export function watchConnections(): void {
  if (watching) return
  watching = true
  const inside = new AsyncLocalStorage<{ over: boolean }>()
  const { execute } = TransactionBuilder.prototype
  const { connect } = pg.Pool.prototype
  TransactionBuilder.prototype.execute = function (work) {
    // What it sets going may ask once it is over.
    const transaction = { over: false }
    const held = (trx: Transaction<unknown>) => inside.run(transaction, () => work(trx))
    return execute.call(this, held).finally(() => {
      transaction.over = true
    }) as never
  }
  pg.Pool.prototype.connect = function (...args: never[]) {
    if (inside.getStore()?.over === false) second.push(new Error('a second connection').stack ?? '')
    return connect.apply(this, args as never) as never
  }
}

/** Of all that was done since the last time this was asked. */
export const assertOneEach = (): void =>
  assert.deepEqual(second.splice(0), [], 'nobody waits for a connection while holding one')

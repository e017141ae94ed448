// Watches that nobody who holds a database connection for a transaction asks for another one: enough of them at once would wait for ever.
import { AsyncLocalStorage } from 'node:async_hooks'
import { type Transaction, TransactionBuilder } from 'kysely'
import pg from 'pg'

export interface Watch {
  /** The stack of each request for a second connection. */
  second: string[]
  stop(): void
}

/** Of everything that runs in this process from now on. */
export function watchConnections(): Watch {
  const second: string[] = []
  const inside = new AsyncLocalStorage<true>()
  const { execute } = TransactionBuilder.prototype
  const { connect } = pg.Pool.prototype
  TransactionBuilder.prototype.execute = function (work) {
    return execute.call(this, (trx: Transaction<unknown>) => inside.run(true, () => work(trx))) as never
  }
  pg.Pool.prototype.connect = function (...args: never[]) {
    if (inside.getStore()) second.push(new Error('a second connection').stack ?? '')
    return connect.apply(this, args as never) as never
  }
  return {
    second,
    stop() {
      TransactionBuilder.prototype.execute = execute
      pg.Pool.prototype.connect = connect
    },
  }
}

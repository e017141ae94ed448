// A cheap connection: statements are prepared once. Without that a photo task takes 11 % more processor time (`npm run bench -- tricks`).
import { once } from 'node:events'
import { sql } from 'kysely'
import pg from 'pg'
import { isReadOnly, isStalePlan } from './away.ts'
import { cut } from './kept-session.ts'
import { hasLongTimeout, isSilence } from './pace.ts'

/** Each prepared statement takes memory in every connection, so texts that differ each time must not fill it. */
const MOST = 300

const names = new Map<string, string>()

/** Stands in a `select` with a `limit` that finds its rows by one key, whatever the values: it is planned once, as no list is. */
const BY_KEY = '/* by key */'
export const byKey = sql.raw(BY_KEY)

/** Lists are planned each time: their filter values decide which index is right. */
const isList = (text: string): boolean => /^\s*select\b.*\blimit\b/is.test(text) && !text.includes(BY_KEY)

/** Several statements in one text cannot be prepared, nor can transaction control. pg-boss sends both, and statements without values. */
const isOne = (text: string): boolean =>
  /^\s*(?:with|select|insert|update|delete)\b/i.test(text) && !/;\s*\S/.test(text)

function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= MOST || isList(text) || !isOne(text)) return known
  const name = `s${names.size}`
  names.set(text, name)
  return name
}

export interface OurClientConfig extends pg.ClientConfig {
  /** Behind a pooler each transaction may get another connection: nothing is prepared. */
  pooled?: boolean
  /** Time limit of a statement that runs `withLongTimeout`. */
  longMs?: number
}

export class PreparingClient extends pg.Client {
  readonly #pooled: boolean
  readonly #longMs: number | undefined
  #ended = false
  #long = 0

  constructor(config: OurClientConfig = {}) {
    const { pooled = false, longMs } = config
    super(config)
    this.#pooled = pooled
    this.#longMs = longMs
    this.once('end', () => {
      this.#ended = true
    })
  }

  // biome-ignore lint/suspicious/noExplicitAny: the overloads of the class it extends.
  override query(...args: any[]): any {
    const [text, values] = args
    if (args.length !== 2 || typeof text !== 'string' || !Array.isArray(values))
      return super.query(...(args as [never]))
    const name = this.#pooled ? undefined : nameOf(text)
    const isLong = hasLongTimeout() && this.#longMs !== undefined
    const query_timeout = isLong ? this.#longMs : undefined
    const asked =
      name === undefined && values.length === 0 ? { text, query_timeout } : { name, text, values, query_timeout }
    const answer = this.#answer(super.query(asked as pg.QueryConfig))
    return isLong ? this.#atLength(answer) : answer
  }

  /** True while a slow answer is expected: then silence does not mean that the connection is dead. */
  get isLong(): boolean {
    return this.#long > 0
  }

  async #atLength<T>(answer: Promise<T>): Promise<T> {
    this.#long++
    try {
      return await answer
    } finally {
      this.#long--
    }
  }

  /** Asks whether the other side still answers. */
  beat(answerMs: number): Promise<unknown> {
    return this.#answer(super.query({ text: 'select 1', query_timeout: answerMs } as pg.QueryConfig))
  }

  async #answer(answer: Promise<pg.QueryResult>): Promise<pg.QueryResult> {
    try {
      return await answer
    } catch (error) {
      // A migration changed the columns of the statement's result, or the server takes no writes and another one may. The next try gets a new
      // connection.
      if (isStalePlan(error) || isReadOnly(error)) void this.end()
      if (isSilence(error)) await this.#giveUp()
      throw error
    }
  }

  /** The caller returns the connection to the pool on this error, so the pool must know before that it is dead. */
  async #giveUp(): Promise<void> {
    this.emit('silent')
    cut(this)
    if (!this.#ended) await once(this, 'end').catch(() => {})
  }
}

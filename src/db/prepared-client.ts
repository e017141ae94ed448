// A connection that costs PostgreSQL and us as little as it can: statements are planned once, and several may be under way.
import { once } from 'node:events'
import pg from 'pg'
import { cut } from './kept-session.ts'
import { isAtLength, isSilence } from './pace.ts'

/** Each takes room in every connection, so texts that are made up anew each time must not fill it. */
const MOST = 300

const names = new Map<string, string>()

/** Lists are planned each time: what their filters leave decides which index is the right one. */
const isList = (text: string): boolean => /^\s*select\b.*\blimit\b/is.test(text)

/** Several statements at once cannot be prepared, nor can those that steer a transaction. pg-boss sends both, and others without values. */
const isOne = (text: string): boolean =>
  /^\s*(?:with|select|insert|update|delete)\b/i.test(text) && !/;\s*\S/.test(text)

function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= MOST || isList(text) || !isOne(text)) return known
  const name = `s${names.size}`
  names.set(text, name)
  return name
}

export const isStalePlan = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '0A000' && /cached plan/.test(error.message)

const BEGUN = { command: 'BEGIN', rowCount: null, rows: [] }

export interface OurClientConfig extends pg.ClientConfig {
  /** A pooler gives each transaction another connection: nothing can be prepared, and nothing sent ahead of its answer. */
  pooled?: boolean
  /** Of a statement that is asked at length. */
  longMs?: number
}

export class PreparingClient extends pg.Client {
  readonly #pooled: boolean
  readonly #longMs: number | undefined
  #ended = false
  #long = 0

  constructor(config: OurClientConfig = {}) {
    const { pooled = false, longMs } = config
    // Not in the types yet: what is asked before an answer has come is sent at once.
    super({ ...config, pipeline: !pooled } as pg.ClientConfig)
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
    if (text === 'begin' && !this.#pooled) {
      // It fails only with the connection, and then so does whatever follows: that need not wait for it.
      super.query(text).catch(() => {})
      return Promise.resolve(BEGUN)
    }
    const name = this.#pooled ? undefined : nameOf(text)
    const isLong = isAtLength() && this.#longMs !== undefined
    const query_timeout = isLong ? this.#longMs : undefined
    const asked =
      name === undefined && values.length === 0 ? { text, query_timeout } : { name, text, values, query_timeout }
    const answer = this.#answer(super.query(asked as pg.QueryConfig))
    return isLong ? this.#atLength(answer) : answer
  }

  /** Something is asked of it whose answer may take long, so that its silence tells nothing. */
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

  /** Asks whether anybody is there. */
  beat(answerMs: number): Promise<unknown> {
    return this.#answer(super.query({ text: 'select 1', query_timeout: answerMs } as pg.QueryConfig))
  }

  async #answer(answer: Promise<pg.QueryResult>): Promise<pg.QueryResult> {
    try {
      return await answer
    } catch (error) {
      // A migration has changed what the statement returns: its next try gets a new connection.
      if (isStalePlan(error)) void this.end()
      if (isSilence(error)) await this.#giveUp()
      throw error
    }
  }

  /** Whoever hears of it gives the connection back; by then it must be known as dead. */
  async #giveUp(): Promise<void> {
    this.emit('silent')
    cut(this)
    if (!this.#ended) await once(this, 'end').catch(() => {})
  }
}

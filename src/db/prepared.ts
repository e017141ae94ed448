// A connection that costs PostgreSQL and us as little as it can: statements are planned once, and several may be under way.
import pg from 'pg'

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

export class PreparingClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    // Not in the types yet: what is asked before an answer has come is sent at once.
    super({ ...config, pipeline: true } as pg.ClientConfig)
  }

  // biome-ignore lint/suspicious/noExplicitAny: the overloads of the class it extends.
  override query(...args: any[]): any {
    const [text, values] = args
    if (args.length !== 2 || typeof text !== 'string' || !Array.isArray(values))
      return super.query(...(args as [never]))
    if (text === 'begin') {
      // It fails only with the connection, and then so does whatever follows: that need not wait for it.
      super.query(text).catch(() => {})
      return Promise.resolve(BEGUN)
    }
    const name = nameOf(text)
    if (name === undefined && values.length === 0) return super.query(text)
    const answer: Promise<pg.QueryResult> = super.query({ name, text, values })
    // A migration has changed what the statement returns: its next try gets a new connection.
    answer.catch(error => (isStalePlan(error) ? this.end() : undefined))
    return answer
  }
}

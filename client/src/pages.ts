// Lists: iterated item by item or page by page; each page is fetched when it is needed.
import type { CallOptions, Connection } from './connection.ts'
import { KeepsakeError } from './errors.ts'

export interface Page<T> {
  items: T[]
  next_cursor: string | null
}

/** What every list takes besides its filters: the size of a page and where to begin. */
export interface PageOptions {
  limit?: number
  cursor?: string
}

export class List<T> implements AsyncIterable<T> {
  readonly #read: (cursor: string | undefined) => Promise<Page<T>>
  readonly #first: string | undefined

  constructor(read: (cursor: string | undefined) => Promise<Page<T>>, first?: string) {
    this.#read = read
    this.#first = first
  }

  /** One page, with the cursor of the next. */
  page(): Promise<Page<T>> {
    return this.#read(this.#first)
  }

  async *pages(): AsyncGenerator<Page<T>, void, void> {
    let cursor = this.#first
    for (;;) {
      const page = await this.#read(cursor)
      yield page
      if (page.next_cursor === null) return
      // A cursor that leads to itself would never end.
      if (page.next_cursor === cursor) throw new KeepsakeError('unexpected_answer', 'The list does not go on.')
      cursor = page.next_cursor
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    for await (const { items } of this.pages()) yield* items
  }

  /** The first so many as an array. */
  async take(most: number): Promise<T[]> {
    const items: T[] = []
    if (most <= 0) return items
    for await (const item of this) {
      items.push(item)
      if (items.length >= most) break
    }
    return items
  }
}

export function listOf<T>(
  connection: Connection,
  path: string,
  filters: Record<string, unknown> & PageOptions = {},
  options: CallOptions = {},
): List<T> {
  const { cursor: first, ...others } = filters
  return new List(
    cursor =>
      connection.json<Page<T>>('GET', path, {
        ...options,
        query: { ...(others as Record<string, string>), cursor },
      }),
    first,
  )
}

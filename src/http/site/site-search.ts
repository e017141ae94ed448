// Finds the sections of the documentation that hold the words somebody looks for.
import { setImmediate as others } from 'node:timers/promises'
import MiniSearch from 'minisearch'
import { escaped } from './reference-operation.ts'

/** One place that can be found: a section of a page, or an operation of the API. */
export interface Findable {
  title: string
  heading: string
  text: string
  address: string
}

export interface Hit {
  title: string
  address: string
  /** HTML: the words around the first hit, marked. */
  excerpt: string
}

const HITS = 30
const EXCERPT = 220
const WORDS = 8

/** Reads the places one after the other, so that building the index holds no request up. */
export async function newSiteSearch(places: AsyncIterable<Findable>): Promise<(query: string) => Hit[]> {
  const index = new MiniSearch<Findable & { id: number }>({
    fields: ['heading', 'title', 'text'],
    tokenize: text =>
      text
        .split(/[\s`'"()[\]{},.:;/|<>=]+/u)
        .flatMap(word => (word.includes('_') ? [word, ...word.split('_')] : [word])),
    searchOptions: {
      boost: { heading: 3, title: 2 },
      prefix: word => word.length > 1,
      fuzzy: word => (word.length > 4 ? 0.2 : false),
    },
  })
  const all: Findable[] = []
  for await (const place of places) {
    index.add({ ...place, id: all.length })
    all.push(place)
    await others()
  }
  return query => {
    const words = query.split(/\s+/).filter(Boolean).slice(0, WORDS).join(' ')
    const strict = index.search(words, { combineWith: 'AND' })
    return (strict.length > 0 ? strict : index.search(words)).slice(0, HITS).flatMap(({ id, terms }) => {
      const place = all[id]
      return place ? [hitOf(place, terms)] : []
    })
  }
}

function hitOf({ title, heading, text, address }: Findable, terms: string[]): Hit {
  const pattern = new RegExp(terms.map(term => term.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|') || '^$', 'giu')
  const clean = text.replace(/\s+/g, ' ').trim()
  const first = Math.max(clean.search(pattern), 0)
  const from = first > EXCERPT / 3 ? clean.indexOf(' ', first - EXCERPT / 3) + 1 : 0
  const part = clean.slice(from, from + EXCERPT)
  // The text is cut at the hits before it is escaped, so that no hit lies inside an escaped character.
  let excerpt = ''
  let end = 0
  for (const { 0: word, index } of part.matchAll(pattern)) {
    if (word === '') break
    excerpt += `${escaped(part.slice(end, index))}<mark>${escaped(word)}</mark>`
    end = index + word.length
  }
  excerpt += escaped(part.slice(end))
  return {
    title: heading === '' || heading === title ? title : `${title}: ${heading}`,
    address,
    excerpt: `${from > 0 ? '… ' : ''}${excerpt}${from + EXCERPT < clean.length ? ' …' : ''}`,
  }
}

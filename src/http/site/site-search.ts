// Finds the sections of the documentation that hold the words somebody looks for.
import { setImmediate as others } from 'node:timers/promises'
import MiniSearch from 'minisearch'
import { escaped } from '#kit/text.ts'

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
  const clean = text.replace(/\s+/g, ' ').trim()
  const first = placesOf(clean, terms)[0]?.[0] ?? 0
  const from = first > EXCERPT / 3 ? clean.indexOf(' ', first - EXCERPT / 3) + 1 : 0
  const part = clean.slice(from, from + EXCERPT)
  // The text is cut at the hits before it is escaped, so that no hit lies inside an escaped character.
  let excerpt = ''
  let end = 0
  for (const [begin, length] of placesOf(part, terms)) {
    if (begin < end) continue
    excerpt += `${escaped(part.slice(end, begin))}<mark>${escaped(part.slice(begin, begin + length))}</mark>`
    end = begin + length
  }
  excerpt += escaped(part.slice(end))
  return {
    title: heading === '' || heading === title ? title : `${title}: ${heading}`,
    address,
    excerpt: `${from > 0 ? '… ' : ''}${excerpt}${from + EXCERPT < clean.length ? ' …' : ''}`,
  }
}

/** Where the terms stand in a text, from its start; the longer of two that begin together first. */
function placesOf(text: string, terms: readonly string[]): [begin: number, length: number][] {
  const lower = text.toLowerCase()
  // A letter that takes more room in lower case would move all behind it.
  if (lower.length !== text.length) return []
  const places: [number, number][] = []
  for (const term of terms.filter(Boolean))
    for (let at = lower.indexOf(term); at >= 0; at = lower.indexOf(term, at + term.length))
      places.push([at, term.length])
  return places.sort(([one, length], [other, longer]) => one - other || longer - length)
}

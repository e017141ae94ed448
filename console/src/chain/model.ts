// A chain while it is edited: entries with stable keys, so that moving or removing one never points another at the wrong file.
import type { CallChain } from '../api/shapes.ts'

export interface Link {
  key: string
  name: string
  /** The key of the entry whose output it takes; null: the uploaded file. */
  input: string | null
}

let last = 0
export const newKey = (): string => `entry-${++last}`

export function fromCallChain(chain: CallChain): Link[] {
  const keys = chain.map(newKey)
  return chain.map(([name, input], at) => ({
    key: keys[at] ?? '',
    name,
    input: input === null ? null : (keys[input] ?? null),
  }))
}

/** In the given order as far as possible: every entry after the one it takes its file from. */
export function sorted(links: Link[]): Link[] {
  const done = new Set<string>()
  const out: Link[] = []
  const place = (link: Link) => {
    if (done.has(link.key)) return
    done.add(link.key)
    const input = links.find(({ key }) => key === link.input)
    if (input) place(input)
    out.push(link)
  }
  links.forEach(place)
  return out
}

export function toCallChain(links: Link[]): CallChain {
  const order = sorted(links)
  return order.map(({ name, input }) => [name, input === null ? null : order.findIndex(({ key }) => key === input)])
}

/** Whether `key` gets its file, directly or not, from `ancestor`. */
export function descends(links: Link[], key: string | null, ancestor: string): boolean {
  const seen = new Set<string>()
  for (let at = key; at !== null && !seen.has(at); at = links.find(link => link.key === at)?.input ?? null) {
    if (at === ancestor) return true
    seen.add(at)
  }
  return false
}

export const connect = (links: Link[], key: string, input: string | null): Link[] =>
  input !== null && descends(links, input, key)
    ? links
    : sorted(links.map(link => (link.key === key ? { ...link, input } : link)))

/** What took the removed entry's file takes that entry's own input instead. */
export function remove(links: Link[], gone: string): Link[] {
  const input = links.find(({ key }) => key === gone)?.input ?? null
  return links.filter(({ key }) => key !== gone).map(link => (link.input === gone ? { ...link, input } : link))
}

export const add = (links: Link[], name: string, input: string | null): Link[] => [
  ...links,
  { key: newKey(), name, input },
]

/** Later entries cannot come before what they depend on; then nothing moves. */
export function move(links: Link[], key: string, by: -1 | 1): Link[] {
  const from = links.findIndex(link => link.key === key)
  const to = from + by
  const [a, b] = [links[from], links[to]]
  if (!a || !b) return links
  const next = links.with(from, b).with(to, a)
  return sorted(next).every((link, at) => link === next[at]) ? next : links
}

export const depth = (links: Link[], key: string | null): number => {
  let steps = 0
  for (let at = key; at !== null && steps <= links.length; steps++)
    at = links.find(link => link.key === at)?.input ?? null
  return steps
}

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

/** Puts a new entry into the line that leads to `key`: it takes what that one took, and that one takes what it makes. */
export function insertBefore(links: Link[], key: string, name: string): Link[] {
  const at = links.findIndex(link => link.key === key)
  const target = links[at]
  if (!target) return links
  const made: Link = { key: newKey(), name, input: target.input }
  return links.with(at, { ...target, input: made.key }).toSpliced(at, 0, made)
}

/** Takes an entry out of its place and puts it into the line that leads to `onto`. */
export function moveInto(links: Link[], key: string, onto: string): Link[] {
  const moved = links.find(link => link.key === key)
  const target = links.find(link => link.key === onto)
  if (!moved || !target || key === onto || target.input === key) return links
  const healed = remove(links, key)
  const after = healed.find(link => link.key === onto) as Link
  return sorted([
    ...healed.map(link => (link.key === onto ? { ...link, input: key } : link)),
    { ...moved, input: after.input },
  ])
}

/** The same step once more, beside the one it is a copy of. */
export function duplicate(links: Link[], key: string, name: string): Link[] {
  const at = links.findIndex(link => link.key === key)
  const original = links[at]
  return original ? links.toSpliced(at + 1, 0, { key: newKey(), name, input: original.input }) : links
}

/** Where each entry stands: its column by depth, its row so that no branch lies over another. */
export function places(links: readonly Link[]): Map<string, { column: number; row: number }> {
  const found = new Map<string, { column: number; row: number }>()
  let nextRow = 0
  const place = (link: Link, column: number): void => {
    const row = nextRow
    found.set(link.key, { column, row })
    const children = links.filter(({ input }) => input === link.key)
    children.forEach((child, index) => {
      if (index > 0) nextRow++
      place(child, column + 1)
    })
  }
  links
    .filter(({ input }) => input === null)
    .forEach((root, index) => {
      if (index > 0) nextRow++
      place(root, 1)
    })
  return found
}

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

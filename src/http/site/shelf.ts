// The pages of the documentation site: each is rendered when it is first asked for, and kept.
import { Marked, type Tokens } from 'marked'
import type { NavGroup } from './layout.ts'
import { type Rendered, render, targetOf } from './markdown.ts'
import { addressOf, newSiteFiles, textOf } from './site-files.ts'
import type { Findable } from './site-search.ts'

const INDEX = 'docs/README.md'
const REFERENCE = { name: 'API reference', address: '/docs/reference/' }

export interface Shelf {
  /** The file at a path below /docs/. */
  fileAt(place: string): string | undefined
  page(file: string): Rendered
  nav: readonly NavGroup[]
  /** Every section of every page, for the search. */
  findable(): AsyncGenerator<Findable>
}

export function newShelf(): Shelf {
  const files = newSiteFiles()
  const pages = new Map<string, Rendered>()
  const page = (file: string): Rendered => {
    const made = pages.get(file) ?? render(file, textOf(file), files.has)
    pages.set(file, made)
    return made
  }
  return {
    fileAt: files.at,
    page,
    nav: navigation(files.has),
    async *findable() {
      for (const file of files.pages) {
        const { title, sections } = page(file)
        for (const { heading, anchor, text } of sections)
          if (text.trim() !== '' || heading !== '')
            yield { title, heading, text, address: addressOf(file) + (anchor === '' ? '' : `#${anchor}`) }
      }
    },
  }
}

/** docs/README.md is the navigation: its second-level headings with the lists of links below them. */
function navigation(has: (file: string) => boolean): NavGroup[] {
  const groups: NavGroup[] = []
  for (const token of new Marked().lexer(textOf(INDEX))) {
    if (token.type === 'heading' && token.depth === 2) groups.push({ name: token.text, links: [] })
    else if (token.type === 'list')
      for (const link of (token as Tokens.List).items.flatMap(firstLink)) {
        const address = targetOf(INDEX, link.href, has)
        if (address !== undefined) groups.at(-1)?.links.push({ name: link.text, address })
      }
  }
  // It is no file, so no file can link to it.
  groups.find(({ name }) => name === 'Reference')?.links.unshift(REFERENCE)
  return groups
}

function firstLink({ tokens }: Tokens.ListItem): Tokens.Link[] {
  const [first] = tokens
  const [link] = first && 'tokens' in first ? (first.tokens ?? []) : []
  return link?.type === 'link' ? [link as Tokens.Link] : []
}

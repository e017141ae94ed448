// The pages of the docs as tests see them: their text, code blocks, headings and links.
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

export interface Page {
  /** Relative to the root of the project. */
  file: string
  text: string
  /** Without the fenced blocks. */
  prose: string
  blocks: { language: string; code: string }[]
}

export const readPage = (file: string): Page => {
  const text = readFileSync(root + file, 'utf8')
  return { file, text, prose: text.replace(FENCED, ''), blocks: blocksOf(text) }
}

const FENCED = /^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm

export const blocksOf = (text: string): Page['blocks'] =>
  [...text.matchAll(FENCED)].map(([, language = '', code = '']) => ({ language, code }))

/** Every page there is, in the root, below docs, of the examples and of the clients. */
export const pages: Page[] = globSync(['*.md', 'docs/**/*.md', 'examples/*/*.md', 'client/*.md', 'clients/*/*.md'], {
  cwd: root,
})
  .sort()
  .map(readPage)

export const page = (file: string): Page => pages.find(each => each.file === file) ?? readPage(file)

/** Where the links and pictures of a page lead. */
export const linksOf = ({ prose }: Page): string[] =>
  [...prose.replace(/`[^`\n]*`/g, '').matchAll(/\]\(([^)\s]+)\)|<(?:img|a)\s[^>]*(?:src|href)="([^"]+)"/g)].map(
    ([, link, attribute]) => link ?? attribute ?? '',
  )

/** What can follow the # of a link to this page. */
export function anchorsOf({ prose }: Page): Set<string> {
  const headings = [...prose.matchAll(/^#{1,6} (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  )
  const named = [...prose.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)
  return new Set([...headings, ...named])
}

/** The rows of the tables of a text, cell by cell. */
export const rowsOf = (text: string): string[][] =>
  [...text.matchAll(/^\| (.+) \|$/gm)].map(([, row = '']) => row.split(/(?<!\\) \| /).map(cell => cell.trim()))

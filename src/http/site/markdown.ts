// Renders a Markdown file of ours as HTML: headings with anchors, links between files as links between pages.
import { posix } from 'node:path'
import { Marked, type Tokens } from 'marked'
import { escaped } from '#kit/text.ts'
import { addressOf } from './site-files.ts'

/** One heading with the text below it, up to the next heading. */
interface Section {
  heading: string
  anchor: string
  depth: number
  text: string
}

export interface Rendered {
  title: string
  html: string
  sections: Section[]
}

/** `has` says which files of the repository the site serves; a link to any other is shown as text. */
export function render(file: string, markdown: string, has: (file: string) => boolean): Rendered {
  const sections: Section[] = [{ heading: '', anchor: '', depth: 0, text: '' }]
  const taken = new Map<string, number>()
  let rendered = 0
  const moved = (href: string): string | undefined => targetOf(file, href, has)

  const marked = new Marked({
    gfm: true,
    walkTokens: token => {
      if (token.type === 'text' || token.type === 'codespan' || token.type === 'code') {
        const last = sections.at(-1)
        if (last && !('tokens' in token && token.tokens)) last.text += `${token.text} `
      } else if (token.type === 'heading') {
        const heading = plain(token.text)
        sections.push({ heading, anchor: anchorOf(heading, taken), depth: token.depth, text: '' })
      }
    },
    renderer: {
      heading(token: Tokens.Heading): string {
        // All tokens were walked before the first is rendered, in the same order.
        rendered += 1
        const anchor = sections[rendered]?.anchor ?? ''
        const inner = this.parser.parseInline(token.tokens)
        return `<h${token.depth} id="${anchor}">${inner} <a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a></h${token.depth}>\n`
      },
      link({ href, tokens }: Tokens.Link): string {
        const inner = this.parser.parseInline(tokens)
        const target = moved(href)
        return target === undefined ? inner : `<a href="${escaped(target)}">${inner}</a>`
      },
      image({ href, text }: Tokens.Image): string {
        return `<img src="${escaped(moved(href) ?? href)}" alt="${escaped(text)}" loading="lazy">`
      },
      html({ text }: Tokens.HTML | Tokens.Tag): string {
        return text.replace(
          /\b(src|srcset|href)="([^"]{1,500})"/g,
          (_all, name: string, href: string) => `${name}="${moved(href) ?? href}"`,
        )
      },
      code({ text, lang = '' }: Tokens.Code): string {
        return `<pre tabindex="0"${lang ? ` data-lang="${escaped(lang)}"` : ''}><code>${escaped(text)}</code></pre>\n`
      },
      table(token: Tokens.Table): string {
        const cells = (tag: string, row: Tokens.TableCell[]): string =>
          `<tr>${row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`
        const rows = token.rows.map(row => cells('td', row)).join('\n')
        const head = token.header.some(({ text }) => text !== '') ? `<thead>${cells('th', token.header)}</thead>` : ''
        return `<div class="wide" tabindex="0"><table>${head}<tbody>${rows}</tbody></table></div>\n`
      },
    },
  })
  const html = marked.parse(markdown, { async: false })
  const title = sections.find(({ depth }) => depth === 1)?.heading ?? posix.basename(file, '.md')
  return { title, html, sections }
}

/** Where a link leads on the site; undefined if it leads to a file that the site doesn't serve. */
export function targetOf(file: string, href: string, has: (file: string) => boolean): string | undefined {
  if (/^[a-z]+:|^#|^\//i.test(href)) return href
  const [path = '', hash] = href.split('#')
  const target = posix.join(posix.dirname(file), path)
  const found = [target, posix.join(target, 'README.md')].find(has)
  if (found === undefined) return
  return addressOf(found) + (hash === undefined ? '' : `#${hash}`)
}

/** The text of a heading without its marks. */
const plain = (text: string): string => text.replace(/[`*_]|\[([^\]]{0,200})\]\([^)]{0,200}\)/g, '$1').trim()

/** The anchor that code hosts give a heading, so that links work in both places. */
function anchorOf(heading: string, taken: Map<string, number>): string {
  const anchor = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
  const times = taken.get(anchor) ?? 0
  taken.set(anchor, times + 1)
  return times === 0 ? anchor : `${anchor}-${times}`
}

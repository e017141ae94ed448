// The frame of every page of the documentation site: navigation, search field, style. It works without scripts.
import { escaped } from '#kit/text.ts'

export const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

/** A group of the navigation: the sections of docs/README.md. */
export interface NavGroup {
  name: string
  links: { name: string; address: string }[]
}

export interface PageParts {
  title: string
  address: string
  html: string
  nav: readonly NavGroup[]
  contents?: readonly { name: string; anchor: string }[]
  query?: string
}

export function layout({ title, address, html, nav, contents = [], query = '' }: PageParts): string {
  const groups = nav.map(
    ({ name, links }) =>
      `<h2>${escaped(name)}</h2><ul>${links
        .map(link => {
          const here = link.address === address ? ' aria-current="page"' : ''
          return `<li><a href="${escaped(link.address)}"${here}>${escaped(link.name)}</a></li>`
        })
        .join('')}</ul>`,
  )
  const onPage =
    contents.length > 1
      ? `<aside aria-label="On this page"><h2>On this page</h2><ul>${contents
          .map(({ name, anchor }) => `<li><a href="#${escaped(anchor)}">${escaped(name)}</a></li>`)
          .join('')}</ul></aside>`
      : ''
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Keepsake</title><style>${STYLE}</style></head><body>
<header><a class="home" href="/docs/">Keepsake</a>
<form action="/docs/search" role="search"><input type="search" name="q" value="${escaped(query)}" maxlength="200" aria-label="Search the documentation" placeholder="Search"><button>Search</button></form>
<a class="menu" href="#menu">Menu</a></header>
<div class="columns"><main>${html}</main>${onPage}
<nav id="menu" aria-label="Documentation">${groups.join('\n')}</nav></div></body></html>`
}

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#dcdad5, #3c3a37); --soft: light-dark(#f6f4f0, #211f1d); --accent: light-dark(#0b5fa5, #7cc0ff); --quiet: light-dark(#5d5953, #a8a29a) }
* { box-sizing: border-box }
html { scroll-padding-top: 4.5rem }
body { margin: 0; font: 16px/1.6 system-ui, sans-serif; background: light-dark(#fff, #161514); color: light-dark(#1d1b19, #eceae6) }
a { color: var(--accent) }
header { position: sticky; top: 0; z-index: 1; display: flex; gap: 1rem; align-items: center; padding: .6rem max(1rem, calc(50vw - 42rem)); background: light-dark(#fff, #161514); border-bottom: 1px solid var(--line) }
.home { font-weight: 700; color: inherit; text-decoration: none }
form { display: flex; gap: .5rem; flex: 1; max-width: 28rem; min-width: 0 }
input, button { font: inherit; padding: .3rem .7rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--soft); color: inherit; min-width: 0 }
input { flex: 1 }
.menu { display: none }
.columns { display: grid; grid-template-columns: 13rem minmax(0, 1fr) 12rem; gap: 2.5rem; max-width: 84rem; margin: 0 auto; padding: 1rem }
nav, aside { font-size: .9rem; position: sticky; top: 4.5rem; align-self: start; max-height: calc(100vh - 5rem); overflow: auto }
nav { grid-column: 1; grid-row: 1 } main { grid-column: 2; grid-row: 1; min-width: 0 } aside { grid-column: 3; grid-row: 1 }
nav h2, aside h2 { font-size: .8rem; margin: 1.1rem 0 .2rem; color: var(--quiet); border: 0; padding: 0 }
nav ul, aside ul { list-style: none; margin: 0; padding: 0 } nav a, aside a { display: block; padding: .15rem 0; text-decoration: none; color: inherit; overflow-wrap: anywhere }
nav a:hover, aside a:hover { color: var(--accent) } [aria-current] { font-weight: 650; color: var(--accent) !important }
h1 { line-height: 1.2; margin: .5rem 0 1rem } h2 { margin: 2.2rem 0 .6rem; padding-top: .8rem; border-top: 1px solid var(--line) } h3 { margin: 1.6rem 0 .4rem }
h1, h2, h3, h4 { overflow-wrap: anywhere }
.anchor { opacity: 0; text-decoration: none; font-weight: 400 } :is(h1, h2, h3, h4):hover .anchor, .anchor:focus { opacity: 1 }
img, picture { max-width: 100%; height: auto }
pre { background: var(--soft); border: 1px solid var(--line); padding: .8rem; border-radius: .5rem; overflow: auto; font-size: .85rem; line-height: 1.5 }
code { font-family: ui-monospace, monospace; font-size: .9em } :not(pre) > code { background: var(--soft); padding: .05rem .3rem; border-radius: .25rem; overflow-wrap: anywhere }
pre code { font-size: inherit }
.wide { overflow-x: auto } table { border-collapse: collapse; width: 100%; font-size: .92rem } th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-top: 1px solid var(--line) } thead th { border-top: 0 }
td code, td > :not(pre) > code { overflow-wrap: normal }
tr:target { outline: 2px solid var(--accent); outline-offset: 4px }
blockquote { margin: 1rem 0; padding: 0 1rem; border-left: 3px solid var(--accent); color: var(--quiet) }
article { border: 1px solid var(--line); border-radius: .5rem; margin: 1rem 0; padding: 0 1rem 1rem; overflow-x: auto } article h3 { font-size: 1rem; margin: 1rem 0 .25rem } article h4 { margin: 1rem 0 .25rem } .method { display: inline-block; min-width: 4.5em; font-weight: 700; color: var(--accent) }
.hit { border-width: 1px 0 0; border-radius: 0; margin: 0; border-top: 1px solid var(--line); padding: .6rem 0 } .hit h2 { border: 0; margin: 0; padding: 0; font-size: 1.05rem } .hit p { margin: .2rem 0 0 } mark { background: light-dark(#ffe9a8, #5b4a10); color: inherit }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
@media (max-width: 75rem) { .columns { grid-template-columns: 12rem minmax(0, 1fr) } aside { display: none } }
@media (max-width: 48rem) { .columns { display: block } nav { position: static; max-height: none; margin-top: 3rem; border-top: 1px solid var(--line) } .menu { display: inline } }
@media print { header, nav, aside { display: none } .columns { display: block } }`

// The page of a guest as HTML: made for a phone in a crowd, whole without scripts.
import type { OpenedKeepsake, WholeKeepsake } from '#db/nouns/keepsake-rows.ts'
import type { StoredFile } from '#db/tables.ts'
import type { PageState, ShownFile } from '#guests/page-state.ts'
import type { Visit } from '#guests/visits.ts'
import type { Problem } from '#kit/errors.ts'
import { type GuestPage, plainGuestPage } from '#kit/guest/guest-page.ts'
import { escaped } from '#kit/text.ts'
import { sides } from '#tasks/try/rendition.ts'
import { SHOWN } from '../wire/send-logo.ts'
import { type ShownVisit, visitHtml } from './guest-visit-html.ts'
import { type Words, words } from './guest-words.ts'
import { versionOf } from './version-of.ts'

export interface GuestHtml {
  /** The address of this page. */
  url: string
  /** The link to pass on; null: none is handed out. */
  share: string | null
  row: OpenedKeepsake
  state: PageState
  /** Whether there is a picture to show as the logo. */
  hasLogo: boolean
  /** Null: the page has no such part. */
  visit: ShownVisit | null
}

export function guestHtml(shown: GuestHtml): string {
  const { url, share, row, state, hasLogo } = shown
  const page = row.guest_page ?? plainGuestPage
  const say = words[page.language]
  const title = titleOf(row)
  const preview = state.files.find(({ file }) => file?.medium === 'image')
  const logo = hasLogo ? `<img src="${escaped(url)}/logo" alt="">` : ''
  const text = page.text === null ? '' : `<p dir="auto">${escaped(page.text)}</p>`
  // Others get the preview, so it names the link that is meant for them.
  const told = escaped(share ?? url)
  const image = preview ? `<meta property="og:image" content="${told}/file/${preview.number}">` : ''
  return document(page, say, {
    title,
    head: `<meta property="og:title" content="${escaped(title)}"><meta property="og:type" content="website"><meta property="og:url" content="${told}">${image}`,
    body: `<header>${logo}<h1 dir="auto">${escaped(title)}</h1>${text}</header>
${mainHtml(shown)}${row.isOwner && page.erase ? eraseLink(url, say) : ''}<script type="module" src="/k/page.js"></script>`,
  })
}

/** Leads to a page that asks first. */
const eraseLink = (url: string, say: Words): string =>
  `<footer><a href="${escaped(url)}/erase">${escaped(say.erase)}</a></footer>`

const titleOf = ({ guest_page, name }: WholeKeepsake): string =>
  guest_page?.title ?? name ?? words[(guest_page ?? plainGuestPage).language].title

/** The part of the page that changes. */
export function mainHtml({ url, share, row, state, visit }: GuestHtml): string {
  const page = row.guest_page ?? plainGuestPage
  const say = words[page.language]
  const figures =
    state.files.length === 0
      ? state.isEmpty
        ? nothing(say)
        : making(say, null)
      : state.files.map(file => figure(url, page, say, titleOf(row), file)).join('')
  const passed = share === null ? '' : ` data-share="${escaped(share)}"`
  return `<main data-mark="${escaped(markOf(state, visit?.visit ?? null))}"${passed} aria-live="polite">${figures}${visit ? visitHtml(url, say, visit) : ''}</main>`
}

/** The same for two pages that look the same. */
export const markOf = ({ mark }: PageState, visit: Visit): string => (visit ? `${mark} ${visit.mark}` : mark)

function figure(url: string, page: GuestPage, say: Words, title: string, shown: ShownFile): string {
  if (shown.state === 'being made') return making(say, shown)
  const id = `id="file-${shown.number}" data-state="${shown.state}"`
  const { file } = shown
  if (!file) return `<figure ${id}><div class="making"><p>${escaped(say.failed)}</p></div></figure>`
  const address = `${escaped(url)}/file/${shown.number}`
  const name = `keepsake-${shown.number + 1}${file.ext}`
  const size = file.width && file.height ? ` width="${file.width}" height="${file.height}"` : ''
  const screen = (side: number): string => `${address}?size=${side}&#38;v=${versionOf(file)}`
  const media =
    file.medium === 'video'
      ? `<video src="${address}" poster="${screen(POSTER)}" controls playsinline preload="none"${size} aria-label="${escaped(title)}"></video>`
      : file.medium === 'audio'
        ? `<audio src="${address}" controls aria-label="${escaped(title)}"></audio>`
        : `<img ${sources(file, address, screen)} alt="${escaped(title)}"${size}>`
  const save = page.download
    ? `<a class="first" href="${address}?save=1" download="${name}">${escaped(say.save)}</a>`
    : ''
  const share = page.share
    ? `<button name="share" hidden>${escaped(say.share)}</button><button name="copy" data-done="${escaped(say.copied)}" hidden>${escaped(say.copy)}</button>`
    : ''
  const actions = save + share === '' ? '' : `<div class="actions">${save}${share}</div>`
  return `<figure ${id} data-file="${address}" data-name="${name}">${media}${actions}</figure>`
}

const POSTER = 1280

const longerSide = ({ width, height }: StoredFile): number => Math.max(width ?? 0, height ?? 0)

/** An animation, or a picture that is small enough. */
export const isShownAsItIs = (file: StoredFile): boolean =>
  SHOWN.includes(file.mime) && ((file.frames ?? 1) > 1 || longerSide(file) <= sides[0])

/** What a browser may choose from. It shows an animation as it is, and what it can't decode as a picture of ours. */
function sources(file: StoredFile, address: string, screen: (side: number) => string): string {
  if (isShownAsItIs(file)) return `src="${address}"`
  const isShown = SHOWN.includes(file.mime)
  const longer = longerSide(file)
  const widthOf = (side: number): number => Math.round(((file.width ?? side) * Math.min(side, longer)) / longer)
  const smaller = sides.filter((side, at) => side < longer || at === 0)
  const set = [
    ...smaller.map(side => `${screen(side)} ${widthOf(side)}w`),
    ...(isShown ? [`${address} ${file.width}w`] : []),
  ]
  return `src="${screen(POSTER)}" srcset="${set.join(', ')}" sizes="(max-width: 48rem) 100vw, 46rem"`
}

function making(say: Words, shown: ShownFile | null): string {
  const id = shown ? ` id="file-${shown.number}" data-state="being made"` : ' data-state="none"'
  const bar = shown ? `<progress max="1" value="${shown.progress}" aria-label="${escaped(say.making)}"></progress>` : ''
  return `<figure${id}><div class="making"><p>${escaped(say.making)}</p>${bar}<p class="quiet left">${escaped(
    shown ? leftText(say, shown) : '',
  )}</p><p class="quiet">${escaped(say.soon)}</p></div></figure>`
}

const nothing = (say: Words): string =>
  `<figure data-state="empty"><div class="making"><p>${escaped(say.notFound)}</p><p class="quiet">${escaped(say.emptyText)}</p></div></figure>`

export const leftText = (say: Words, { secondsLeft }: ShownFile): string =>
  secondsLeft === null ? '' : say.left.replace('{n}', String(secondsLeft))

/** For a code that opens nothing, or nothing any more, and for whatever a guest may not do. */
export function emptyHtml(problem: Problem, page: GuestPage): string {
  const say = words[page.language]
  const [title, text] = told(say, problem)
  return document(page, say, {
    title,
    head: '',
    body: `<header><h1>${escaped(title)}</h1><p>${escaped(text)}</p></header>${
      problem.receiptUrl === undefined ? '' : receiptLink(problem.receiptUrl, say)
    }`,
  })
}

export const receiptLink = (url: string, say: Words): string =>
  `<div class="actions ask"><a class="first" href="${escaped(url)}" download="receipt.json">${escaped(say.receipt)}</a></div>`

/** What went wrong, and what the guest can do. */
function told(say: Words, { code, retryAfterSeconds }: Problem): [string, string] {
  switch (code) {
    case 'not_found':
      return [say.notFound, say.notFoundText]
    case 'gone':
      return [say.gone, say.goneText]
    case 'forbidden':
      return [say.forbidden, say.forbiddenText]
    case 'too_many_requests':
      return [say.trouble, say.visitWait.replace('{n}', String(Math.ceil((retryAfterSeconds ?? 1) / 60)))]
    default:
      return [say.trouble, say.troubleText]
  }
}

export function document(
  page: GuestPage,
  { dir }: Words,
  { title, head, body }: { title: string; head: string; body: string },
): string {
  const accent = page.color ?? '#1d1b19'
  return `<!doctype html>
<html lang="${page.language}" dir="${dir}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="robots" content="noindex, nofollow"><title>${escaped(title)}</title>${head}
<link rel="stylesheet" href="/k/page.css"><style>:root { --accent: ${page.color ?? 'light-dark(#1d1b19, #f1efeb)'}; --on-accent: ${page.color === null ? 'light-dark(#fff, #141312)' : onColor(accent)} }</style></head><body>${body}</body></html>`
}

/** Black or white, whichever can be read on the colour. */
function onColor(color: string): string {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map(at => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? '#000' : '#fff'
}

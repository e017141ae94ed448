// The page of a wall as HTML: a frame for the pictures, which its script fills.
import { createHash } from 'node:crypto'
import type { WallExperience } from '#db/nouns/wall-rows.ts'
import { type Language, wholeGuestPage } from '#kit/guest/guest-page.ts'
import { escaped } from '#kit/text.ts'
import { wallFiles } from './wall-files.ts'
import { wallWords } from './wall-words.ts'

/** The same for two walls that look the same: a screen loads itself anew when it changes. */
export function lookOf({ guest_page, name }: WallExperience): string {
  const { title, logo_file_name, color, language, wall_url, wall_text } = wholeGuestPage(guest_page)
  const settings = { title: title ?? name, logo_file_name, color, language, wall_url, wall_text }
  const files = Object.values(wallFiles).map(({ text }) => text)
  return createHash('sha256')
    .update(JSON.stringify([settings, files]))
    .digest('base64url')
    .slice(0, 16)
}

export function wallHtml(experience: WallExperience, key: string, hasLogo: boolean): string {
  const page = wholeGuestPage(experience.guest_page)
  const say = wallWords[page.language]
  const title = page.title ?? experience.name ?? say.title
  const at = (part: string) => escaped(`/wall/${encodeURIComponent(experience.experience_id)}/${part}?key=${key}`)
  const logo = hasLogo ? `<img src="${at('logo')}" alt="">` : ''
  const code =
    page.wall_url === null
      ? ''
      : `<img src="${at('qr.svg')}" alt="${escaped(`${say.code} ${page.wall_url}`)}" width="200" height="200">`
  const text = page.wall_text === null ? '' : `<p dir="auto">${escaped(page.wall_text)}</p>`
  const corner = code + text === '' ? '' : `<aside id="corner" aria-label="QR">${code}${text}</aside>`
  const head = `<header>${logo}<h1 dir="auto">${escaped(title)}</h1></header>`
  return document(page.language, page.color, {
    title,
    attributes: ` data-look="${lookOf(experience)}" data-photo="${escaped(say.photo)}" data-video="${escaped(say.video)}"`,
    body: `${head}<main id="stage"><p id="empty">${escaped(say.empty)}</p></main>${corner}<script type="module" src="/wall/-/wall.js"></script>`,
  })
}

/** `closed`: for a key that opens nothing. `away`: while the service can't answer. */
export function plainWallHtml(kind: 'closed' | 'away'): string {
  const say = wallWords.en
  return document('en', null, {
    title: say[kind],
    attributes: '',
    body: `<main class="plain"><h1>${say[kind]}</h1><p>${say[`${kind}Text`]}</p></main>`,
  })
}

function document(
  language: Language,
  color: string | null,
  { title, attributes, body }: { title: string; attributes: string; body: string },
): string {
  return `<!doctype html>
<html lang="${language}" dir="${wallWords[language].dir}"${attributes}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="robots" content="noindex, nofollow"><title>${escaped(title)}</title>
<link rel="stylesheet" href="/wall/-/wall.css"><style>:root { --accent: ${color ?? '#8a8178'} }</style></head><body>${body}</body></html>`
}

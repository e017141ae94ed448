// The part of a guest's page that shows all of the visit, or asks who it is.
import type { VisitedKeepsake } from '#db/guests/visit-rows.ts'
import type { Visit } from '#guests/visits.ts'
import { escaped } from '#kit/text.ts'
import type { Words } from './guest-words.ts'
import { versionOf } from './version-of.ts'

export interface ShownVisit {
  visit: NonNullable<Visit>
  /** Of the others, in their order. */
  links: readonly string[]
  /** What was wrong with the last try. */
  said: 'wrong' | { wait: number } | null
}

export function visitHtml(url: string, say: Words, { visit, links, said }: ShownVisit): string {
  const { others, mark } = visit
  const inside =
    others === null
      ? formHtml(url, say, said)
      : others.length === 0
        ? `<p class="quiet">${escaped(say.visitNone)}</p>`
        : `<ul>${others.map((other, at) => `<li>${otherHtml(links[at] ?? '', say, other)}</li>`).join('')}</ul>`
  return `<section id="visit" data-state="${mark}" aria-labelledby="visit-title"><h2 id="visit-title">${escaped(say.visit)}</h2>${inside}</section>`
}

function formHtml(url: string, say: Words, said: ShownVisit['said']): string {
  const sentence =
    said === null
      ? ''
      : said === 'wrong'
        ? say.visitWrong
        : say.visitWait.replace('{n}', String(Math.ceil(said.wait / 60)))
  const alert = sentence === '' ? '' : `<p role="alert">${escaped(sentence)}</p>`
  return `<form method="post" action="${escaped(url)}"><label for="value">${escaped(say.visitAsk)}</label>
<input id="value" name="value" dir="auto" required maxlength="256" autocomplete="email" autocapitalize="none" spellcheck="false">
<button class="first">${escaped(say.visitShow)}</button>${alert}</form>`
}

function otherHtml(link: string, say: Words, { number, output, is_being_made }: VisitedKeepsake): string {
  const hasPicture = output?.blob && (output.medium === 'image' || output.medium === 'video')
  const picture = hasPicture
    ? `<img src="${escaped(link)}/file/${number}?size=640&#38;v=${versionOf(output)}" alt="${escaped(say.visitOther)}" loading="lazy">`
    : `<span>${escaped(output?.blob ? say.visitOther : is_being_made ? say.making : say.notFound)}</span>`
  return `<a href="${escaped(link)}">${picture}</a>`
}

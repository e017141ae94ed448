// The pages on which a guest takes everything back: the question, and what became of it.
import type { WholeKeepsake } from '#db/nouns/keepsake-rows.ts'
import { plainGuestPage } from '#kit/guest/guest-page.ts'
import { escaped } from '#kit/text.ts'
import { document, receiptLink } from './guest-html.ts'
import { words } from './guest-words.ts'

/** Whole without scripts: a form that says yes, and the way back. */
export function askHtml(url: string, { guest_page }: WholeKeepsake): string {
  const page = guest_page ?? plainGuestPage
  const say = words[page.language]
  return document(page, say, {
    title: say.eraseAsk,
    head: '',
    body: `<header><h1>${escaped(say.eraseAsk)}</h1><p>${escaped(say.eraseText)}</p></header>
<form class="actions ask" method="post" action="${escaped(url)}/erase"><input type="hidden" name="confirm" value="yes"><button>${escaped(say.eraseYes)}</button><a class="first" href="${escaped(url)}">${escaped(say.eraseNo)}</a></form>`,
  })
}

export function erasedHtml(receiptUrl: string, { guest_page }: WholeKeepsake, isDone: boolean): string {
  const page = guest_page ?? plainGuestPage
  const say = words[page.language]
  return document(page, say, {
    title: say.erased,
    head: '',
    body: `<header><h1>${escaped(say.erased)}</h1><p>${escaped(isDone ? say.erasedText : say.erasing)}</p></header>
${receiptLink(receiptUrl, say)}`,
  })
}

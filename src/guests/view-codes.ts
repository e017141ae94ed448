// Codes that open the page of a keepsake and can do no more: one to pass on, one for the links among the keepsakes of a visit.
import { rememberViewCode } from '#db/nouns/keepsake-rows.ts'
import { linkCodeFrom } from '#kit/secret/secrets.ts'
import { type GuestServices, hashOf, linkTo, type OpenedKeepsake, ownCodeOf } from './keepsakes.ts'

type ViewKind = 'share' | 'visit'

/** The link to pass on; null where guests may not. `code` is what the page was opened with. */
export async function shareLink(services: GuestServices, row: OpenedKeepsake, code: string): Promise<string | null> {
  if (!row.guest_page?.share) return null
  if (row.openedBy === 'share') return linkTo(services.settings, code)
  return viewLink(services, row, 'share')
}

/** From now on the link opens the page. */
export async function viewLink(
  { db, secretBox, settings }: GuestServices,
  row: Parameters<typeof ownCodeOf>[1] & Pick<OpenedKeepsake, 'share_hash' | 'visit_hash'>,
  kind: ViewKind,
): Promise<string> {
  const code = ownCodeOf(secretBox, row)
  // With another code of the guest it is another one too.
  const viewCode = linkCodeFrom(kind, code)
  if (row[`${kind}_hash`] === null)
    await rememberViewCode(db, { keepsake_id: row.keepsake_id, code_hash: hashOf(code) }, kind, hashOf(viewCode))
  return linkTo(settings, viewCode)
}

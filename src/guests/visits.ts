// All of a guest's visit: shown on the guest's own page to who knows what the guest is known by.
import { createHash } from 'node:crypto'
import { countTry, type GuestName, listGuestNames, listVisit, type VisitedKeepsake } from '#db/guests/visit-rows.ts'
import { lookupName } from '#db/nouns/profiles-lookup.ts'
import { sealedFor } from '#kit/secret/secrets.ts'
import { type GuestServices, isOver, type OpenedKeepsake } from './keepsakes.ts'
import { viewLink } from './view-codes.ts'

/** In an hour, for each keepsake, over all processes. */
const MOST_TRIES = 5
/** How long a confirmation holds. */
export const CONFIRMED_SECONDS = 3600
const MOST_CHARACTERS = 256

/** Null: nothing is known of the guest, so there is nothing to ask for. */
export type Visit = null | { others: VisitedKeepsake[] | null; mark: string }

/** `proof` is what `confirmVisit` gave out; it holds as long as the guest is still known by the same. */
export async function visitOf(services: GuestServices, row: OpenedKeepsake, proof: string | null): Promise<Visit> {
  if (!row.isOwner) return null
  const names = await listGuestNames(services.db, row.keepsake_id)
  if (names.length === 0) return null
  const digest = proof === null ? null : openProof(services, row, proof)
  const name = digest === null ? undefined : names.find(each => digestOf(each) === digest)
  if (!name) return { others: null, mark: 'ask' }
  const others = (await listVisit(services.db, row, name)).filter(each => !isOver(each, services.settings))
  const mark = others
    .map(({ keepsake_id, output, is_being_made }) => `${keepsake_id} ${output?.sha256 ?? is_being_made}`)
    .join()
  return { others, mark: createHash('sha256').update(mark).digest('base64url').slice(0, 16) }
}

type Confirmed = { proof: string } | { wait: number } | 'wrong'

/** Tells only whether it is right. Whether somebody else is known by it makes no difference, not even in time. */
export async function confirmVisit(services: GuestServices, row: OpenedKeepsake, typed: string): Promise<Confirmed> {
  const wait = await countTry(services.db, row.keepsake_id, MOST_TRIES)
  if (wait > 0) return { wait }
  const digests = namesOf(typed).map(digestOf)
  const names = await listGuestNames(services.db, row.keepsake_id)
  const name = names.find(each => digests.includes(digestOf(each)))
  if (!name) return 'wrong'
  const until = Date.now() + CONFIRMED_SECONDS * 1000
  const sealed = services.secretBox.seal(JSON.stringify([digestOf(name), until]), sealedFor.visit(row.keepsake_id))
  return { proof: sealed.toString('base64url') }
}

/** Whether it can be what a guest is known by at all. */
export const isNameLike = (typed: string): boolean => typed.trim() !== '' && typed.length <= MOST_CHARACTERS

function namesOf(typed: string): GuestName[] {
  const value = typed.trim()
  return [
    { kind: 'email', key: value.toLowerCase() },
    { kind: 'qr_code', key: value },
    { kind: 'rfid', key: value },
  ]
}

/** A cookie that holds it tells nothing of the guest. */
const digestOf = ({ kind, key }: GuestName): string =>
  createHash('sha256')
    .update(lookupName({ kind, value: key }))
    .digest('base64url')

function openProof({ secretBox }: GuestServices, { keepsake_id }: OpenedKeepsake, proof: string): string | null {
  try {
    const text = secretBox.open(Buffer.from(proof, 'base64url'), sealedFor.visit(keepsake_id))
    const [digest, until] = JSON.parse(text) as [string, number]
    return until > Date.now() ? digest : null
  } catch {
    // Forged, cut off, of another keepsake, or sealed with a key that is gone: it proves nothing.
    return null
  }
}

/** The links open the other pages and can't erase there: who knows a name has not shown the other codes. */
export const visitLink = (services: GuestServices, other: VisitedKeepsake): Promise<string> =>
  viewLink(services, other, 'visit')

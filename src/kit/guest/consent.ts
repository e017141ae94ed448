// What guests can agree to, and when they have.

export const purposes = ['share', 'wall', 'marketing'] as const
export type Purpose = (typeof purposes)[number]

/** True: agreed; false: refused; absent: nothing was said. */
export type Consent = Partial<Record<Purpose, boolean>>

/** As a merge patch writes it: null takes a word back. */
export type ConsentPatch = { [purpose in Purpose]?: boolean | null }

/** Null: nothing is said any more. */
export function patchedConsent(before: Consent | null, patch: ConsentPatch | null | undefined): Consent | null {
  if (patch === undefined) return before
  const said = purposes.flatMap(purpose => {
    const word = patch?.[purpose] === undefined && patch !== null ? before?.[purpose] : patch?.[purpose]
    return typeof word === 'boolean' ? [[purpose, word] as const] : []
  })
  return said.length === 0 ? null : Object.fromEntries(said)
}

/** What becomes of a configuration whose guests did not agree. */
export const withoutConsent = ['skip', 'wait'] as const
export type WithoutConsent = (typeof withoutConsent)[number]

/** Who may have said something about a keepsake: the request of the task, the keepsake, and each guest that was found. */
export interface Said {
  task: Consent | null
  keepsake: Consent | null
  profiles: readonly (Consent | null)[]
}

/** One no is a no, whoever says it. Nothing said is none. */
export const isRefused = (purpose: Purpose, { task, keepsake, profiles }: Said): boolean =>
  [task, keepsake, ...profiles].some(each => each?.[purpose] === false)

/** A yes is that of the task or the keepsake, or that of all guests that were found, where nobody says no. */
export function isAgreed(purpose: Purpose, said: Said): boolean {
  if (isRefused(purpose, said)) return false
  const { task, keepsake, profiles } = said
  const ofGuests = profiles.map(each => each?.[purpose])
  return (
    task?.[purpose] === true || keepsake?.[purpose] === true || (ofGuests.length > 0 && !ofGuests.includes(undefined))
  )
}

// The settings of the pages that an experience has for its guests.

/** Each has its words in the pages. */
export const languages = ['en', 'de', 'fr', 'es', 'ar'] as const
export type Language = (typeof languages)[number]

/** Whether silence keeps a picture off the wall. A no always does. */
export const wallConsents = ['not_refused', 'required'] as const
type WallConsent = (typeof wallConsents)[number]

export interface GuestPage {
  enabled: boolean
  title: string | null
  text: string | null
  /** An asset. */
  logo_file_name: string | null
  color: string | null
  language: Language
  /** Null: as long as the files of the experience are kept. */
  expires_days: number | null
  download: boolean
  share: boolean
  erase: boolean
  approval: 'required' | 'none'
  /** Where the QR code on the wall leads to; null: there is none. */
  wall_url: string | null
  /** Stands beside it. */
  wall_text: string | null
  wall_consent: WallConsent
}

/** What holds where nothing was set. */
export const plainGuestPage: GuestPage = {
  enabled: false,
  title: null,
  text: null,
  logo_file_name: null,
  color: null,
  language: 'en',
  expires_days: null,
  download: true,
  share: true,
  erase: false,
  approval: 'required',
  wall_url: null,
  wall_text: null,
  wall_consent: 'not_refused',
}

/** Fills in defaults for settings that did not exist when the page was stored. */
export const wholeGuestPage = (stored: Partial<GuestPage> | null): GuestPage => ({ ...plainGuestPage, ...stored })

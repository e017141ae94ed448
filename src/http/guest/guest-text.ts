// Texts and addresses in the pages of guests.
import type { StoredFile } from '#db/tables.ts'

export const escaped = (text: string): string => text.replace(/[&<>"']/g, sign => `&#${sign.charCodeAt(0)};`)

/** Names the content in an address, so that it may be kept for ever. */
export const versionOf = ({ sha256 }: StoredFile): string => sha256.slice(0, 16)

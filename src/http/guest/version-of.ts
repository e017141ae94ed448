// Names the version of a file in its address.
import type { StoredFile } from '#db/tables.ts'

/** Names the content in an address, so that it may be kept for ever. */
export const versionOf = ({ sha256 }: StoredFile): string => sha256.slice(0, 16)

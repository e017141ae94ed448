// Seals and opens a delivery's checkpoint: it may hold the address of an upload, or what a target answered.
import { isObject, type JsonObject } from '#kit/json.ts'
import { type SecretBox, sealedFor } from '#kit/secret/secrets.ts'

interface EntryKey {
  chain_id: string
  index: number
}

const row = ({ chain_id, index }: EntryKey): string => sealedFor.checkpoint(chain_id, index)

export const sealCheckpoint = (box: SecretBox, place: EntryKey, checkpoint: JsonObject): JsonObject => ({
  sealed: box.seal(JSON.stringify(checkpoint), row(place)).toString('base64'),
})

/** Returns a checkpoint that an older version stored unsealed as it is. */
export function openCheckpoint(box: SecretBox, place: EntryKey, stored: JsonObject | null): JsonObject | null {
  const { sealed } = stored ?? {}
  if (typeof sealed !== 'string') return stored
  const opened: unknown = JSON.parse(box.open(Buffer.from(sealed, 'base64'), row(place)))
  return isObject(opened) ? (opened as JsonObject) : null
}

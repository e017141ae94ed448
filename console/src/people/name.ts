// What to call a guest.
import type { Profile } from '../api/shapes.ts'

export function nameOf({ attributes, email, qr_code, rfid, profile_id }: Profile): string {
  const { name, first_name, last_name } = attributes
  if (typeof name === 'string' && name) return name
  const full = [first_name, last_name].filter(part => typeof part === 'string' && part).join(' ')
  return full || email[0] || qr_code[0] || rfid[0] || profile_id
}

// Who a task was made for, as far as its extras say.
import type { JsonObject } from '../api/shapes.ts'

export function guestOf(extras: JsonObject | undefined): string | null {
  for (const kind of ['email', 'qr_code', 'rfid', 'profile_id']) {
    const value = [extras?.[kind]].flat()[0]
    if (typeof value === 'string' && value !== '') return value
  }
  return null
}

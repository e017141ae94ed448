// Whether a keepsake is on the wall of its experience.
import { isAgreed, isRefused, type Said } from './consent.ts'
import type { GuestPage } from './guest-page.ts'

export const wallStates = ['waiting', 'approved', 'hidden'] as const
export type WallState = (typeof wallStates)[number]

/** Whether somebody said no. Nobody can overrule it. */
export const isRefusedOnWall = (said: Said): boolean => isRefused('wall', said)

/** Whether those who see the wall may see it. */
export function mayBeOnWall(
  { enabled, approval, wall_consent }: GuestPage,
  { state, said }: { state: WallState; said: Said },
): boolean {
  if (!enabled || state === 'hidden' || (approval === 'required' && state !== 'approved')) return false
  return wall_consent === 'required' ? isAgreed('wall', said) : !isRefusedOnWall(said)
}

// Which alarms this browser gives: sound, a sign in the tab, a notification of the desktop. Kept in the browser.
import { useSyncExternalStore } from 'react'

export interface Alarms {
  sound: boolean
  tab: boolean
  desktop: boolean
}

const KEPT = 'keepsake-alarms'
const usual: Alarms = { sound: true, tab: true, desktop: false }
const listeners = new Set<() => void>()
let alarms: Alarms = read()

function read(): Alarms {
  try {
    return { ...usual, ...(JSON.parse(localStorage.getItem(KEPT) ?? '{}') as Partial<Alarms>) }
  } catch {
    return usual
  }
}

export const currentAlarms = (): Alarms => alarms

export function setAlarm(name: keyof Alarms, on: boolean): void {
  alarms = { ...alarms, [name]: on }
  try {
    localStorage.setItem(KEPT, JSON.stringify(alarms))
  } catch {
    // A browser that keeps nothing asks again the next time.
  }
  for (const tell of listeners) tell()
}

export const useAlarms = (): Alarms =>
  useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => alarms,
  )

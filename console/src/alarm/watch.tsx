// Watches for trouble on every page: a number in the tab, a tone and a notification for what is new.

import { useEffect, useRef } from 'react'
import { useEvent } from '../api/event.ts'
import { useTrouble } from '../api/trouble.ts'
import { causesOf, isAside, useAside } from '../overview/causes.ts'
import { t, tn } from '../words/t.ts'
import { currentAlarms, useAlarms } from './preferences.ts'
import { ring } from './sound.ts'

/** Draws nothing. */
export function AlarmWatch() {
  const trouble = useTrouble(useEvent(), false)
  const kept = useAside()
  const { tab } = useAlarms()
  const causes = trouble.data ? causesOf(trouble.data).filter(cause => !isAside(cause, kept)) : null
  const number = causes?.length ?? 0
  const keys = causes?.map(({ key }) => key).join('\n') ?? null
  useNews(keys)
  useTabSign(tab ? number : 0)
  return null
}

/** Rings for causes that were not there before; what was there when the page was opened is only shown. */
function useNews(keys: string | null): void {
  const known = useRef<Set<string> | null>(null)
  useEffect(() => {
    if (keys === null) return
    const now = keys === '' ? [] : keys.split('\n')
    const before = known.current
    known.current = new Set([...(before ?? []), ...now])
    // What went away and comes back is news again.
    for (const key of before ?? []) if (!now.includes(key)) known.current.delete(key)
    if (before === null || now.every(key => before.has(key))) return
    const { sound, desktop } = currentAlarms()
    if (sound) ring()
    if (desktop && document.hidden && 'Notification' in window && Notification.permission === 'granted')
      new Notification(t('Keepsake needs a hand'), { body: wordsFor(now.length), tag: 'keepsake-trouble' })
  }, [keys])
}

const wordsFor = (causes: number): string =>
  tn(causes, 'There is 1 cause to look at.', 'There are {count} causes to look at.', { count: causes })

const ICON = 'link[rel=icon]'
const PLAIN = '/keepsake.svg'
const SIGN = '/keepsake-alarm.svg'
const numbered = /^\(\d+\) /

/** Pages set the title; the number is put before whatever it becomes. */
function useTabSign(number: number): void {
  useEffect(() => {
    const sign = () => {
      const plain = document.title.replace(numbered, '')
      const wanted = number > 0 ? `(${number}) ${plain}` : plain
      if (document.title !== wanted) document.title = wanted
    }
    sign()
    const title = document.querySelector('title')
    const observer = new MutationObserver(sign)
    if (title) observer.observe(title, { childList: true, characterData: true, subtree: true })
    document.querySelector<HTMLLinkElement>(ICON)?.setAttribute('href', number > 0 ? SIGN : PLAIN)
    return () => observer.disconnect()
  }, [number])
}

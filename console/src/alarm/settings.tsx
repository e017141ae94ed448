// The switches of the alarms, each silenced on its own; and a try, so that one knows how it sounds.

import { BellRing, Volume2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { t } from '../words/t.ts'
import { type Alarms, setAlarm, useAlarms } from './preferences.ts'
import { ring } from './sound.ts'

const kinds: [keyof Alarms, string, string][] = [
  ['sound', t('Sound'), t('Two short tones when something new needs a hand.')],
  ['tab', t('Sign in the tab'), t('The number of causes in the title, and a red dot on the icon.')],
  ['desktop', t('Desktop notification'), t('While this page is in the background.')],
]

export function AlarmSettings() {
  const [open, setOpen] = useState(false)
  const [refused, setRefused] = useState(false)
  const alarms = useAlarms()
  const change = async (name: keyof Alarms, on: boolean) => {
    setRefused(false)
    if (name === 'desktop' && on) {
      const answer = 'Notification' in window ? await Notification.requestPermission() : 'denied'
      if (answer !== 'granted') return setRefused(true)
    }
    setAlarm(name, on)
  }
  return (
    <>
      <Button icon={BellRing} onClick={() => setOpen(true)}>
        {t('Alarms')}
      </Button>
      <Dialog
        title={t('Alarms')}
        about={t('They come on every page of the console while it is open, and are kept in this browser.')}
        open={open}
        onClose={() => setOpen(false)}
      >
        <ul className="divide-y divide-line">
          {kinds.map(([name, word, about]) => (
            <li key={name}>
              <label className="flex min-h-12 items-center gap-3 py-2">
                <input
                  type="checkbox"
                  checked={alarms[name]}
                  onChange={event => void change(name, event.target.checked)}
                  className="size-5 shrink-0 accent-[var(--ink)]"
                />
                <span>
                  <span className="block font-semibold">{word}</span>
                  <span className="block text-[14px] text-soft">{about}</span>
                </span>
              </label>
            </li>
          ))}
        </ul>
        {refused && (
          <p role="alert" className="mt-2 text-[14px] text-fail">
            {t('This browser does not allow notifications of this page. Allow them in its settings, then try again.')}
          </p>
        )}
        <div className="mt-4 flex justify-end">
          <Button icon={Volume2} onClick={() => ring()}>
            {t('Hear it')}
          </Button>
        </div>
      </Dialog>
    </>
  )
}

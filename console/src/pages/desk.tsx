// The guest desk of an event: "I lost my code", "I want my photos", "please delete me".

import { ExternalLink, KeyRound, UserRound, UserRoundX } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { type FoundGuests, findGuests } from '../api/desk.ts'
import { Finder } from '../desk/finder.tsx'
import { Guest } from '../desk/guest.tsx'
import { Nobodys } from '../desk/nobodys.tsx'
import { ErasureView } from '../desk/receipt.tsx'
import { readScan } from '../desk/scan.ts'
import { buttonLook } from '../parts/button.tsx'
import { Empty, ErrorNote, Notice } from '../parts/notes.tsx'
import { Card, CardTitle, Page } from '../parts/page.tsx'
import { Ago } from '../parts/time.tsx'
import { nameOf } from '../people/name.ts'
import { t } from '../words/t.ts'

type Outcome =
  | { kind: 'found'; found: FoundGuests }
  | { kind: 'link'; url: string }
  | { kind: 'garbled' }
  | { kind: 'failed'; error: unknown }

export function Desk() {
  const [search, setSearch] = useSearchParams()
  const guest = search.get('guest')
  const erasure = search.get('erasure')
  const field = useRef<HTMLInputElement>(null)
  const asked = useRef<AbortController>(undefined)
  const [text, setText] = useState('')
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const [isBusy, setBusy] = useState(false)
  useEffect(() => () => asked.current?.abort(), [])

  const find = async (typed: string) => {
    asked.current?.abort()
    setBusy(false)
    const scan = readScan(typed, window.location.origin)
    if (scan.kind === 'text' && scan.text === '') return
    const tell = (told: Outcome) => {
      setOutcome(told)
      if (guest !== null || erasure !== null) setSearch({})
    }
    if (scan.kind !== 'text') {
      // The code is a secret: it does not stay on the screen of the desk.
      setText('')
      return tell(scan)
    }
    setText(scan.text)
    const asking = new AbortController()
    asked.current = asking
    setBusy(true)
    try {
      const found = await findGuests(scan.text, asking.signal)
      const [only, ...others] = found.profiles
      if (found.isExact && only && others.length === 0) {
        setOutcome(null)
        setSearch({ guest: only.profile_id })
      } else tell({ kind: 'found', found })
    } catch (error) {
      if (!asking.signal.aborted) tell({ kind: 'failed', error })
    } finally {
      if (asked.current === asking) setBusy(false)
    }
  }

  // Before the next key can come: it must not meet what was shown before.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      if (document.querySelector('[role=dialog]')) return
      if (event.key === 'Escape') {
        if (guest !== null || erasure !== null) setSearch({})
        else {
          setText('')
          setOutcome(null)
        }
        field.current?.focus()
        return
      }
      if (event.target instanceof Element && event.target.closest('input, select, textarea')) return
      if (event.key === '/') event.preventDefault()
      // A reader that types starts anywhere: its first character lands in the field, too.
      else if ([...event.key].length !== 1 || event.key === ' ') return
      field.current?.focus()
      field.current?.select()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  })

  const open = (id: string) => setSearch({ guest: id })
  return (
    <Page
      title={t('Guest desk')}
      about={t('Find a guest, hand out a lost link, record what they agree to, erase them.')}
    >
      <Finder field={field} text={text} isBusy={isBusy} onText={setText} onFind={typed => void find(typed)} />
      {erasure !== null ? (
        <ErasureView id={erasure} />
      ) : guest !== null ? (
        <Guest key={guest} id={guest} onErased={id => setSearch({ erasure: id }, { replace: true })} />
      ) : (
        <>
          <div aria-live="polite">{outcome && <Told outcome={outcome} onOpen={open} />}</div>
          <Nobodys />
        </>
      )}
    </Page>
  )
}

function Told({ outcome, onOpen }: { outcome: Outcome; onOpen(id: string): void }) {
  if (outcome.kind === 'failed') return <ErrorNote error={outcome.error} />
  if (outcome.kind === 'garbled')
    return (
      <Notice title={t('The reader types with another keyboard than this computer.')}>
        {t(
          'An address came in with wrong characters. Turn Caps Lock off, and set the reader to the keyboard layout of this computer.',
        )}
      </Notice>
    )
  if (outcome.kind === 'link')
    return (
      <Card>
        <Empty
          icon={KeyRound}
          title={t('This is the guest’s own link')}
          actions={
            <a href={outcome.url} target="_blank" rel="noopener noreferrer" className={buttonLook('primary')}>
              <ExternalLink aria-hidden className="size-4" /> {t('Open it')}
            </a>
          }
        >
          {t(
            'It opens the guest’s page at {host}. It is a secret and is not looked up here: find the guest by e-mail, name or tag.',
            { host: new URL(outcome.url).host },
          )}
        </Empty>
      </Card>
    )
  const { profiles, isExact, more } = outcome.found
  if (profiles.length === 0)
    return (
      <Card>
        <Empty icon={UserRoundX} title={t('Nobody goes by that')}>
          {t('Try another part of the name or address. Pictures of guests who are not known are below.')}
        </Empty>
      </Card>
    )
  return (
    <Card>
      <CardTitle>{isExact ? t('Guests with this value') : t('Guests with this part')}</CardTitle>
      <ul>
        {profiles.map(profile => (
          <li key={profile.profile_id} className="border-b border-line last:border-0">
            <button
              type="button"
              onClick={() => onOpen(profile.profile_id)}
              className="flex w-full items-center gap-4 px-4 py-3 text-start hover:bg-well"
            >
              <span className="grid size-10 shrink-0 place-items-center rounded-full bg-wait-bg text-wait">
                <UserRound aria-hidden className="size-5" />
              </span>
              <span className="min-w-0 flex-1">
                <span dir="auto" className="block truncate font-semibold">
                  {nameOf(profile)}
                </span>
                <span dir="auto" className="block truncate text-[13.5px] text-soft">
                  {[...profile.email, ...profile.qr_code, ...profile.rfid].join(' · ') || profile.profile_id}
                </span>
              </span>
              <span className="hidden text-[13.5px] text-soft md:block">{profile.experience_id}</span>
              <Ago at={profile.created_at} className="text-[13.5px] whitespace-nowrap text-soft" />
            </button>
          </li>
        ))}
      </ul>
      {more && <p className="border-t border-line px-4 py-3 text-soft">{t('There may be more: give more of it.')}</p>}
    </Card>
  )
}

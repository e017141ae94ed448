// Makes one guest of two that are the same person: find the other, look at both sides and at what comes of them, then merge.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ArrowLeftRight, Merge, Search } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { findGuests, mergeGuests } from '../api/desk.ts'
import type { Profile } from '../api/shapes.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { control } from '../parts/field.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { announce } from '../parts/toast.tsx'
import { nameOf } from '../people/name.ts'
import { t } from '../words/t.ts'

export function MergeGuests({ profile }: { profile: Profile }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button icon={Merge} onClick={() => setOpen(true)}>
        {t('Merge')}
      </Button>
      {isOpen && <Merging profile={profile} onClose={() => setOpen(false)} />}
    </>
  )
}

function Merging({ profile, onClose }: { profile: Profile; onClose(): void }) {
  const [other, setOther] = useState<Profile | null>(null)
  return other === null ? (
    <Finding profile={profile} onClose={onClose} onFound={setOther} />
  ) : (
    <Compared profile={profile} other={other} onBack={() => setOther(null)} onClose={onClose} />
  )
}

function Finding({ profile, onClose, onFound }: { profile: Profile; onClose(): void; onFound(other: Profile): void }) {
  const [text, setText] = useState('')
  const wanted = useDeferredValue(text.trim())
  const found = useQuery({
    queryKey: ['merge-with', wanted],
    queryFn: ({ signal }) => findGuests(wanted, signal),
    enabled: wanted.length > 1,
  })
  const others = found.data?.profiles.filter(({ profile_id }) => profile_id !== profile.profile_id) ?? []
  return (
    <Dialog
      title={t('Merge with another guest')}
      about={t('For one person who is here twice. Find the other entry of {name}.', { name: nameOf(profile) })}
      open
      onClose={onClose}
    >
      <div className="relative">
        <Search aria-hidden className="pointer-events-none absolute top-3 left-3 size-4 text-soft" />
        <input
          type="search"
          aria-label={t('E-mail, name, code or tag of a guest')}
          placeholder={t('E-mail, name, code or tag')}
          value={text}
          autoFocus
          onChange={event => setText(event.target.value)}
          className={`${control} pl-9!`}
        />
      </div>
      <div aria-live="polite" className="mt-3">
        {found.isFetching && <Loading what={t('Searching')} rows={2} />}
        {found.isError && <ErrorNote error={found.error} />}
        {found.isSuccess && !found.isFetching && others.length === 0 && (
          <p className="text-soft">{t('Nobody else goes by that.')}</p>
        )}
        <ul>
          {others.map(one => (
            <li key={one.profile_id} className="border-b border-line last:border-0">
              <button
                type="button"
                onClick={() => onFound(one)}
                className="block min-h-11 w-full rounded px-2 py-2 text-left hover:bg-well"
              >
                <span dir="auto" className="block truncate font-semibold">
                  {nameOf(one)}
                </span>
                <span dir="auto" className="block truncate text-[13.5px] text-soft">
                  {[...one.email, ...one.qr_code, ...one.rfid].join(' · ') || one.profile_id}
                </span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  )
}

const consents = [
  ['share', t('Share')],
  ['wall', t('Wall')],
  ['marketing', t('Marketing')],
] as const

const said = (word: boolean | undefined): string => (word === undefined ? '' : word ? t('Yes') : t('No'))
const asText = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)

/** The rows of the comparison: a name, and what it is in each of the three. */
function rowsOf(all: readonly (Profile | undefined)[]): { key: string; name: string; values: string[] }[] {
  const row = (key: string, name: string, value: (profile: Profile) => string) => ({
    key,
    name,
    values: all.map(profile => (profile ? value(profile) : '')),
  })
  const names = [...new Set(all.flatMap(profile => Object.keys(profile?.attributes ?? {})))]
  return [
    row('email', t('E-mail'), ({ email }) => email.join('\n')),
    row('qr_code', t('QR code'), ({ qr_code }) => qr_code.join('\n')),
    row('rfid', 'RFID', ({ rfid }) => rfid.join('\n')),
    row('experience', t('Experience'), ({ experience_id }) => experience_id ?? t('all of them')),
    ...consents.map(([purpose, name]) => row(purpose, name, ({ consent }) => said(consent?.[purpose]))),
    ...names.map(name => row(`attribute ${name}`, name, ({ attributes }) => asText(attributes[name]))),
  ].filter(({ values }) => values.some(value => value !== ''))
}

interface ComparedProps {
  profile: Profile
  other: Profile
  onBack(): void
  onClose(): void
}

function Compared({ profile, other, onBack, onClose }: ComparedProps) {
  const client = useQueryClient()
  const [isSwapped, setSwapped] = useState(false)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const [kept, gone] = isSwapped ? [other, profile] : [profile, other]
  const looked = useQuery({
    queryKey: ['merge', kept.profile_id, gone.profile_id],
    queryFn: () => mergeGuests(kept.profile_id, gone.profile_id, true),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })
  const go = async () => {
    setBusy(true)
    setError(null)
    try {
      await mergeGuests(kept.profile_id, gone.profile_id, false)
      await client.invalidateQueries()
      announce(t('Both are one guest now.'))
      onClose()
    } catch (refusal) {
      setError(refusal)
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={t('Merge {one} and {other}?', { one: nameOf(kept), other: nameOf(gone) })}
      about={t(
        'Values, keepsakes and activities of both stay. Where both say something else, the first one counts; a refusal stays a refusal. This can’t be undone.',
      )}
      wide
      open
      onClose={onClose}
    >
      {looked.isError && <ErrorNote error={looked.error} title={t('These two can’t be merged like this')} />}
      {error !== null && <ErrorNote error={error} />}
      <div className="my-3 overflow-x-auto">
        <table className="w-full min-w-120 text-left text-[14px]">
          <thead>
            <tr className="border-b border-line">
              <td />
              <th scope="col" className="px-2 py-1.5">
                {t('The first')}
              </th>
              <th scope="col" className="px-2 py-1.5">
                {t('The other')}
              </th>
              <th scope="col" className="px-2 py-1.5">
                {t('Afterwards')}
              </th>
            </tr>
          </thead>
          <tbody>
            {rowsOf([kept, gone, looked.data]).map(({ key, name, values }) => (
              <tr key={key} className="border-b border-line align-top last:border-0">
                <th scope="row" dir="auto" className="px-2 py-1.5 font-normal text-soft [overflow-wrap:anywhere]">
                  {name}
                </th>
                {values.map((value, side) => (
                  <td
                    // biome-ignore lint/suspicious/noArrayIndexKey: the three sides keep their places.
                    key={side}
                    dir="auto"
                    className={`px-2 py-1.5 whitespace-pre-line [overflow-wrap:anywhere] ${side === 2 ? 'font-semibold' : ''}`}
                  >
                    {value || '–'}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="flex flex-wrap justify-end gap-2">
        <Button look="quiet" icon={ArrowLeftRight} onClick={() => setSwapped(!isSwapped)} className="mr-auto">
          {t('Swap the two')}
        </Button>
        <Button onClick={onBack}>{t('Back')}</Button>
        <Button
          look="primary"
          icon={Merge}
          busy={busy || looked.isPending}
          disabled={!looked.isSuccess}
          onClick={() => void go()}
        >
          {t('Merge them')}
        </Button>
      </div>
    </Dialog>
  )
}

// The newest keepsakes of an experience that have no guest: to hand them out, or to give one to the guest at the desk.

import { useQueryClient } from '@tanstack/react-query'
import { Gift, Images } from 'lucide-react'
import { useState } from 'react'
import { useExperiences } from '../api/configurations.ts'
import { giveKeepsake, type ListedKeepsake, useKeepsakes } from '../api/desk.ts'
import { useMay } from '../api/session.ts'
import type { Profile } from '../api/shapes.ts'
import { Button } from '../parts/button.tsx'
import { Confirm, Dialog } from '../parts/dialog.tsx'
import { control } from '../parts/field.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { announce } from '../parts/toast.tsx'
import { nameOf } from '../people/name.ts'
import { t } from '../words/t.ts'
import { HandOut } from './hand-out.tsx'
import { KeepsakePrints } from './prints.tsx'

/** Below the field: pictures of whom nobody knows yet. */
export function Nobodys() {
  return (
    <section className="mt-6">
      <h2 className="text-[19px]">{t('Pictures without a guest')}</h2>
      <p className="mb-3 text-soft">
        {t('The newest, for who has no name here. To give one to a guest, find the guest first.')}
      </p>
      <Picker action={({ keepsake_id }) => <HandOut id={keepsake_id} />} />
    </section>
  )
}

/** In the view of a guest. */
export function Give({ profile }: { profile: Profile }) {
  const client = useQueryClient()
  const mayGive = useMay('tasks')
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState<ListedKeepsake | null>(null)
  if (!mayGive) return null
  return (
    <>
      <Button icon={Gift} onClick={() => setOpen(true)}>
        {t('Give a keepsake')}
      </Button>
      <Dialog
        title={t('Pictures without a guest')}
        about={t('Choose what is of {name}.', { name: nameOf(profile) })}
        wide
        open={isOpen && chosen === null}
        onClose={() => setOpen(false)}
      >
        <Picker
          experience={profile.experience_id}
          action={keepsake => <Button onClick={() => setChosen(keepsake)}>{t('Give it to this guest')}</Button>}
        />
      </Dialog>
      <Confirm
        title={t('Give it to {name}?', { name: nameOf(profile) })}
        about={t(
          'It is listed with this guest from now on, with what was recorded for its pictures. The link stays the same.',
        )}
        action={t('Give it')}
        look="primary"
        cancel={t('Back')}
        open={chosen !== null}
        onClose={() => setChosen(null)}
        onConfirm={async () => {
          if (chosen) await giveKeepsake(chosen.keepsake_id, profile)
          setOpen(false)
          announce(t('The guest has it.'))
          await client.invalidateQueries({ queryKey: ['keepsake', 'list'] })
          await client.invalidateQueries({ queryKey: ['activity', 'list'] })
          await client.invalidateQueries({ queryKey: ['desk-tasks'] })
        }}
      />
    </>
  )
}

interface PickerProps {
  /** Of a guest of one experience: its own alone. */
  experience?: string | null
  action(keepsake: ListedKeepsake): React.ReactNode
}

function Picker({ experience = null, action }: PickerProps) {
  const experiences = useExperiences()
  const [chosen, setChosen] = useState<string | null>(null)
  const withPages = experiences.data?.filter(({ guest_page }) => guest_page.enabled) ?? []
  const id = experience ?? chosen ?? withPages[0]?.experience_id ?? null
  if (experiences.isPending) return <Loading />
  if (experiences.isError) return <ErrorNote error={experiences.error} />
  if (id === null)
    return (
      <p className="text-soft">
        {t('No experience has pages for guests: set {code} of one.', { code: <code>guest_page.enabled</code> })}
      </p>
    )
  return (
    <>
      {experience === null && withPages.length > 1 && (
        <select
          aria-label={t('Experience')}
          value={id}
          onChange={event => setChosen(event.target.value)}
          className={`${control} mb-3 w-auto! max-w-full`}
        >
          {withPages.map(({ experience_id, name }) => (
            <option key={experience_id} value={experience_id}>
              {name ?? experience_id}
            </option>
          ))}
        </select>
      )}
      <Newest key={id} experience={id} action={action} />
    </>
  )
}

function Newest({ experience, action }: { experience: string; action: PickerProps['action'] }) {
  const list = useKeepsakes({ experience_id: experience })
  const items = (list.data?.pages.flatMap(page => page.items) ?? []).filter(({ has_guest }) => !has_guest)
  return (
    <>
      {list.isPending && <Loading />}
      {list.isError && <ErrorNote error={list.error} retry={() => void list.refetch()} />}
      {list.isSuccess && items.length === 0 && (
        <div className="rounded-card border border-line bg-card">
          <Empty icon={Images} title={t('None')}>
            {list.hasNextPage ? t('The newest all have a guest.') : t('Whatever was made here has a guest.')}
          </Empty>
        </div>
      )}
      <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
        {items.map(keepsake => (
          <KeepsakePrints key={keepsake.keepsake_id} keepsake={keepsake}>
            {action(keepsake)}
          </KeepsakePrints>
        ))}
      </ul>
      {list.hasNextPage && (
        <div className="mt-4 text-center">
          <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {t('Show older ones')}
          </Button>
        </div>
      )}
    </>
  )
}

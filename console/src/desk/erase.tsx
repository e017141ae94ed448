// Erases a guest, after saying what goes and what can't be taken back.

import { useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { eraseGuest, useKeepsakes } from '../api/desk.ts'
import type { Profile } from '../api/shapes.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { CheckField } from '../parts/field.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { nameOf } from '../people/name.ts'
import { t, tn } from '../words/t.ts'

interface Props {
  profile: Profile
  onErased(erasure: string): void
}

export function EraseGuest(props: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button look="danger" icon={Trash2} onClick={() => setOpen(true)}>
        {t('Erase')}
      </Button>
      {isOpen && <Question {...props} onClose={() => setOpen(false)} />}
    </>
  )
}

function Question({ profile, onErased, onClose }: Props & { onClose(): void }) {
  const client = useQueryClient()
  const keepsakes = useKeepsakes({ profile_id: profile.profile_id })
  const count = keepsakes.data?.pages.reduce((sum, { items }) => sum + items.length, 0)
  const [takesShared, setTakesShared] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const erase = async () => {
    setBusy(true)
    setError(null)
    try {
      const { erasure_id } = await eraseGuest(profile.profile_id, takesShared)
      onErased(erasure_id)
      client.removeQueries({ queryKey: ['profile'] })
      client.removeQueries({ queryKey: ['keepsake'] })
    } catch (refusal) {
      setError(refusal)
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={t('Erase {name}?', { name: nameOf(profile) })}
      about={t('This can’t be undone.')}
      open
      onClose={onClose}
    >
      <h3 className="font-semibold">{t('What goes')}</h3>
      <ul className="mb-4 list-disc pl-5 text-soft">
        <li>{t('the guest, with values, attributes, consent and activities')}</li>
        <li>
          {count === undefined
            ? t('keepsakes, with pictures, videos and links')
            : keepsakes.hasNextPage
              ? t('{count} keepsakes or more, with pictures, videos and links', { count })
              : tn(
                  count,
                  '1 keepsake, with pictures, videos and links',
                  '{count} keepsakes, with pictures, videos and links',
                )}
        </li>
        <li>{t('all files and records of what was made for them')}</li>
        <li>{t('what was delivered, where the target lets it be deleted')}</li>
      </ul>
      <h3 className="font-semibold">{t('What can’t be taken back')}</h3>
      <ul className="mb-4 list-disc pl-5 text-soft">
        <li>{t('mails and messages that were sent, prints, posts')}</li>
        <li>{t('callbacks that other systems got already')}</li>
        <li>{t('backups, until they are replaced')}</li>
      </ul>
      <CheckField
        label={t('Also what names other guests')}
        help={t('Without this, pictures that other guests share stay.')}
        checked={takesShared}
        onChange={event => setTakesShared(event.target.checked)}
      />
      {error !== null && <ErrorNote error={error} />}
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{t('Keep the guest')}</Button>
        <Button look="danger" busy={isBusy} onClick={() => void erase()}>
          {t('Erase for good')}
        </Button>
      </div>
    </Dialog>
  )
}

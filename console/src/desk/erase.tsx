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

interface Props {
  profile: Profile
  onErased(erasure: string): void
}

export function EraseGuest(props: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button look="danger" icon={Trash2} onClick={() => setOpen(true)}>
        Erase
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
    <Dialog title={`Erase ${nameOf(profile)}?`} about="This can’t be undone." open onClose={onClose}>
      <h3 className="font-semibold">What goes</h3>
      <ul className="mb-4 list-disc pl-5 text-soft">
        <li>the guest, with values, attributes, consent and activities</li>
        <li>
          {count === undefined ? 'keepsakes' : count === 1 ? '1 keepsake' : `${count} keepsakes`}
          {keepsakes.hasNextPage && ' or more'}, with pictures, videos and links
        </li>
        <li>all files and records of what was made for them</li>
        <li>what was delivered, where the target lets it be deleted</li>
      </ul>
      <h3 className="font-semibold">What can’t be taken back</h3>
      <ul className="mb-4 list-disc pl-5 text-soft">
        <li>mails and messages that were sent, prints, posts</li>
        <li>callbacks that other systems got already</li>
        <li>backups, until they are replaced</li>
      </ul>
      <CheckField
        label="Also what names other guests"
        help="Without this, pictures that other guests share stay."
        checked={takesShared}
        onChange={event => setTakesShared(event.target.checked)}
      />
      {error !== null && <ErrorNote error={error} />}
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Keep the guest</Button>
        <Button look="danger" busy={isBusy} onClick={() => void erase()}>
          Erase for good
        </Button>
      </div>
    </Dialog>
  )
}

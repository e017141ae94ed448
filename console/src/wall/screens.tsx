// The keys of a wall: made, shown once, revoked.

import { useQueryClient } from '@tanstack/react-query'
import { ExternalLink, KeyRound, MonitorOff } from 'lucide-react'
import { useState } from 'react'
import { makeWallKey, type NewWallKey, revokeWallKeys, useWallKeys } from '../api/walls.ts'
import { Button, buttonLook } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { Confirm, Dialog } from '../parts/dialog.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { announce } from '../parts/toast.tsx'
import { t, tn } from '../words/t.ts'

export function Screens({ experience }: { experience: string }) {
  const client = useQueryClient()
  const keys = useWallKeys(experience)
  const [made, setMade] = useState<NewWallKey | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const [isRevoking, setRevoking] = useState(false)
  const count = keys.data?.length ?? 0
  const renew = () => client.invalidateQueries({ queryKey: ['wall-key', experience] })
  const make = async () => {
    setBusy(true)
    setError(null)
    try {
      setMade(await makeWallKey(experience))
      await renew()
    } catch (refusal) {
      setError(refusal)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Button icon={KeyRound} busy={isBusy} onClick={() => void make()}>
        {t('Open a wall')}
      </Button>
      {count > 0 && (
        <Button icon={MonitorOff} onClick={() => setRevoking(true)}>
          {tn(count, 'Close the wall', 'Close all {count} walls')}
        </Button>
      )}
      <Dialog
        title={t('A new wall')}
        about={t('Open this address on the screen. It is shown this once; whoever has it sees the wall.')}
        open={made !== null || error !== null}
        onClose={() => {
          setMade(null)
          setError(null)
        }}
      >
        {error !== null && <ErrorNote error={error} />}
        {made && (
          <>
            <p className="rounded-lg bg-well p-3 font-mono text-[13px] [overflow-wrap:anywhere]">{made.url}</p>
            <div className="mt-4 flex flex-wrap justify-end gap-2">
              <CopyButton text={made.url}>{t('Copy the address')}</CopyButton>
              <a href={made.url} target="_blank" rel="noopener noreferrer" className={buttonLook('primary')}>
                <ExternalLink aria-hidden className="size-4" /> {t('Open it here')}
              </a>
            </div>
          </>
        )}
      </Dialog>
      <Confirm
        title={tn(count, 'Close the wall?', 'Close all walls?')}
        about={t('Their keys are revoked: every screen that shows the wall of this experience stops at once.')}
        action={t('Revoke the keys')}
        open={isRevoking}
        onClose={() => setRevoking(false)}
        onConfirm={async () => {
          await revokeWallKeys(experience)
          await renew()
          announce(t('The keys are revoked. The screens are dark.'))
        }}
      />
    </>
  )
}

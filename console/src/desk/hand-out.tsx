// Hands the link of a keepsake to its guest: large on the screen, as text, or with a new code when the old one is lost.

import { useQueryClient } from '@tanstack/react-query'
import { ExternalLink, QrCode, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { reissue, useKeepsake } from '../api/desk.ts'
import { useMay } from '../api/session.ts'
import { Button, buttonLook } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorNote, Loading, Notice } from '../parts/notes.tsx'
import { announce } from '../parts/toast.tsx'
import { t } from '../words/t.ts'

/** The service serves the pages of guests here as well, whatever address guests see: the picture of the code comes from here. */
const pathOf = (url: string): string | null => /\/k\/[\w-]+$/.exec(url)?.[0] ?? null

/** For who may see the link of a guest. */
export function HandOut({ id }: { id: string }) {
  const may = useMay('tasks')
  const [isOpen, setOpen] = useState(false)
  if (!may) return null
  return (
    <>
      <Button look="primary" icon={QrCode} onClick={() => setOpen(true)}>
        {t('Hand out')}
      </Button>
      {isOpen && <Sheet id={id} onClose={() => setOpen(false)} />}
    </>
  )
}

function Sheet({ id, onClose }: { id: string; onClose(): void }) {
  const keepsake = useKeepsake(id)
  const url = keepsake.data?.url
  return (
    <Dialog
      title={t('For the guest')}
      about={t('The guest scans this code; it opens their page.')}
      open
      onClose={onClose}
    >
      {keepsake.isPending && <Loading />}
      {keepsake.isError && <ErrorNote error={keepsake.error} retry={() => void keepsake.refetch()} />}
      {keepsake.data && !url && (
        <Notice>{t('This keepsake has no page: its experience has none, or it was taken back.')}</Notice>
      )}
      {url && (
        <>
          <Code key={url} url={url} />
          <p className="mt-4 rounded-lg bg-well p-3 text-center font-mono text-[13px] [overflow-wrap:anywhere]">
            {url}
          </p>
          <div className="mt-4 flex flex-wrap justify-center gap-2">
            <CopyButton text={url}>{t('Copy the link')}</CopyButton>
            <a href={url} target="_blank" rel="noopener noreferrer" className={buttonLook()}>
              <ExternalLink aria-hidden className="size-4" /> {t('Open it')}
            </a>
          </div>
          <Reissue id={id} />
        </>
      )}
    </Dialog>
  )
}

function Code({ url }: { url: string }) {
  const [isMissing, setMissing] = useState(false)
  const path = pathOf(url)
  if (path === null || isMissing)
    return <Notice>{t('The code can’t be drawn here. The link below does the same.')}</Notice>
  return (
    <img
      src={`${path}/qr.svg`}
      alt={t('QR code of the guest’s page')}
      onError={() => setMissing(true)}
      className="mx-auto aspect-square w-full max-w-[min(26rem,56dvh)] rounded-lg bg-white"
    />
  )
}

function Reissue({ id }: { id: string }) {
  const client = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const make = async () => {
    setBusy(true)
    setError(null)
    try {
      await reissue(id)
      await client.invalidateQueries({ queryKey: ['keepsake', 'one', id] })
      setAsking(false)
      announce(t('The guest has a new code.'))
    } catch (refusal) {
      setError(refusal)
    } finally {
      setBusy(false)
    }
  }
  return (
    <div className="mt-5 border-t border-line pt-4">
      {isAsking ? (
        <>
          <p className="font-semibold">{t('Make a new code?')}</p>
          <p className="text-soft">
            {t(
              'The old one stops working at once: on prints, in mails and messages, and in links that were passed on.',
            )}
          </p>
          {error !== null && <ErrorNote error={error} />}
          <div className="mt-3 flex flex-wrap justify-end gap-2">
            <Button onClick={() => setAsking(false)}>{t('Keep the old one')}</Button>
            <Button look="danger" busy={isBusy} onClick={() => void make()}>
              {t('Make a new code')}
            </Button>
          </div>
        </>
      ) : (
        <div className="flex flex-wrap items-center justify-between gap-2">
          <span className="text-soft">{t('Lost, or in wrong hands?')}</span>
          <Button icon={RefreshCw} onClick={() => setAsking(true)}>
            {t('New code')}
          </Button>
        </div>
      )}
    </div>
  )
}

// Replaces the file of an asset, after a look at both side by side.

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { at, send } from '../api/client.ts'
import type { Asset } from '../api/shapes.ts'
import { bytes, facts, kindName } from '../format/size.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Dropzone } from '../parts/dropzone.tsx'
import { useObjectUrl } from '../parts/local-file.ts'
import { Media, Print } from '../parts/media.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { announce } from '../parts/toast.tsx'
import { t } from '../words/t.ts'

export function ReplaceAsset({ asset, src, onClose }: { asset: Asset; src: string; onClose(): void }) {
  const client = useQueryClient()
  const [file, setFile] = useState<File | null>(null)
  const url = useObjectUrl(file)
  const replace = useMutation({
    mutationFn: (chosen: File) => {
      const form = new FormData()
      form.set('file', chosen)
      return send<Asset>('PUT', at('asset', asset.name), form)
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['asset'] })
      announce(t('{name} has its new file.', { name: asset.name }))
      onClose()
    },
  })
  return (
    <Dialog
      title={t('Replace {name}', { name: asset.name })}
      about={t(
        'New tasks use the new file at once; tasks under way keep the old one. The old one stays among the versions.',
      )}
      open
      wide={file !== null}
      onClose={onClose}
    >
      <div className="space-y-4">
        {file && url && (
          <div className="grid items-start gap-5 sm:grid-cols-2">
            <Side title={t('Now')} facts={facts(asset)}>
              <Media src={src} mime={asset.mime} label={t('The file of now')} className="max-h-64 w-auto" />
            </Side>
            <Side title={t('New')} facts={`${kindName(file.type || 'file')} · ${bytes(file.size)}`}>
              <Media src={url} mime={file.type} label={t('The new file')} className="max-h-64 w-auto" />
            </Side>
          </div>
        )}
        <Dropzone
          label={file ? t('Choose another') : t('Drop the new file here')}
          file={file}
          disabled={replace.isPending}
          onFile={chosen => {
            replace.reset()
            setFile(chosen)
          }}
        />
        {replace.isError && <ErrorNote error={replace.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('Keep the old one')}</Button>
          <Button look="primary" busy={replace.isPending} disabled={!file} onClick={() => file && replace.mutate(file)}>
            {t('Replace it')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

const Side = ({ title, facts: told, children }: { title: string; facts: string; children: React.ReactNode }) => (
  <div className="min-w-0">
    <p className="edgeprint mb-2">{title}</p>
    <Print caption={told}>{children}</Print>
  </div>
)

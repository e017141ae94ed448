// The tray of pictures: assets as thumbnails to drag onto the canvas or press, and a place to upload more.

import { useQueryClient } from '@tanstack/react-query'
import { LoaderCircle, Upload } from 'lucide-react'
import { useId, useState } from 'react'
import { ApiError, at, send } from '../api/client.ts'
import { assetFile } from '../api/configurations.ts'
import { useMay } from '../api/session.ts'
import type { Asset } from '../api/shapes.ts'
import { classes } from '../parts/classes.ts'
import { useDrop } from '../parts/dropzone.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { t } from '../words/t.ts'
import { ASSET_TYPE } from './stage.tsx'

const TRIES = 20

/** Uploads a picture under its own name, or with a number behind it when that is taken. */
async function uploadPicture(file: File, experience: string | null): Promise<Asset> {
  const dotAt = file.name.lastIndexOf('.')
  const [stem, end] = dotAt > 0 ? [file.name.slice(0, dotAt), file.name.slice(dotAt)] : [file.name, '']
  for (let number = 1; ; number++) {
    const form = new FormData()
    form.set('name', `${stem.slice(0, 100)}${number > 1 ? `-${number}` : ''}${end.slice(0, 20)}`)
    form.set('experience_id', experience ?? '')
    form.set('file', file)
    try {
      return await send<Asset>('POST', at('asset'), form)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409 || number >= TRIES) throw error
    }
  }
}

export function useUpload(experience: string | null) {
  const client = useQueryClient()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const upload = async (files: File[]): Promise<Asset[]> => {
    const made: Asset[] = []
    setBusy(true)
    setError(null)
    try {
      for (const file of files) made.push(await uploadPicture(file, experience))
    } catch (refusal) {
      setError(refusal)
    } finally {
      setBusy(false)
      if (made.length > 0) await client.invalidateQueries({ queryKey: ['asset'] })
    }
    return made
  }
  return { upload, busy, error }
}

interface Props {
  assets: Asset[]
  busy: boolean
  error: unknown
  onPick(asset: Asset): void
  onFiles(files: File[]): void
}

export const isPicture = ({ mime }: Asset): boolean => mime.startsWith('image/')

export function Tray({ assets, busy, error, onPick, onFiles }: Props) {
  const id = useId()
  const may = useMay('write')
  const { isOver, handlers } = useDrop(files => onFiles([...files]))
  const pictures = assets.filter(isPicture)
  return (
    <section aria-label={t('Pictures')} className="border-t border-line p-3">
      <div className="flex items-baseline justify-between gap-3">
        <h3 className="edgeprint">{t('Pictures')}</h3>
        <p className="text-[13px] text-soft max-sm:hidden">{t('Drag one onto the canvas, or press it.')}</p>
        <p className="text-[13px] text-soft sm:hidden">{t('Press one to add it.')}</p>
      </div>
      <ul className="mt-2 flex gap-2 overflow-x-auto p-1">
        {may && (
          <li className="shrink-0">
            <label
              htmlFor={id}
              {...handlers}
              className={classes(
                'relative grid h-20 w-24 place-items-center content-center gap-1 rounded-lg border-2 border-dashed text-center text-[13px] font-semibold focus-within:border-ink',
                isOver ? 'border-ink bg-marker/30' : 'border-edge hover:border-ink',
              )}
            >
              {busy ? (
                <LoaderCircle aria-hidden className="size-5 animate-spin" />
              ) : (
                <Upload aria-hidden className="size-5" />
              )}
              {busy ? t('Uploading') : t('Upload')}
              <input
                id={id}
                type="file"
                accept="image/*"
                multiple
                disabled={busy}
                aria-label={t('Upload pictures')}
                onChange={event => {
                  const files = [...(event.target.files ?? [])]
                  event.target.value = ''
                  if (files.length > 0) onFiles(files)
                }}
                className="absolute inset-0 cursor-pointer opacity-0"
              />
            </label>
          </li>
        )}
        {pictures.map(asset => (
          <li key={asset.name} className="shrink-0">
            <button
              type="button"
              draggable
              title={asset.name}
              aria-label={t('Add {name} to the canvas', { name: asset.name })}
              onDragStart={event => {
                event.dataTransfer.setData(ASSET_TYPE, asset.name)
                event.dataTransfer.effectAllowed = 'copy'
              }}
              onClick={() => onPick(asset)}
              className="block w-24 cursor-grab rounded-lg border border-line bg-card hover:border-ink"
            >
              <img
                src={assetFile(asset.name, asset.sha256)}
                alt=""
                loading="lazy"
                draggable={false}
                className="chequer h-14 w-full rounded-t-[7px] object-contain"
              />
              <span dir="auto" className="block truncate px-1.5 py-0.5 text-[12px]">
                {asset.name}
              </span>
            </button>
          </li>
        ))}
        {pictures.length === 0 && (
          <li className="self-center px-2 text-[14px] text-soft">
            {t('No pictures yet. A logo or a frame with a clear ground (PNG, WebP, SVG) goes well here.')}
          </li>
        )}
      </ul>
      {error !== null && (
        <div className="mt-2">
          <ErrorNote error={error} title={t('The picture was not uploaded')} />
        </div>
      )}
    </section>
  )
}

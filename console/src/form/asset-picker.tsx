// Choosing an asset by its picture, or bringing one in without leaving the form.

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ArrowUp, FileAudio, FileType, Film, Plus, Upload, X } from 'lucide-react'
import { createContext, useContext, useState } from 'react'
import { at, send, sentence } from '../api/client.ts'
import { assetFile } from '../api/configurations.ts'
import type { Asset, Json } from '../api/shapes.ts'
import { bytes } from '../format/size.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { classes } from '../parts/classes.ts'
import { Dialog } from '../parts/dialog.tsx'
import { control, TextField } from '../parts/field.tsx'
import { t } from '../words/t.ts'
import type { Ids } from './form-field.tsx'

export interface Shelf {
  assets: readonly Asset[]
  /** Where a new one belongs; null: to all experiences; empty: not chosen yet. */
  experienceId: string | null
}
export const ShelfContext = createContext<Shelf>({ assets: [], experienceId: '' })

interface Props {
  ids: Ids
  label: string
  /** Media that fit, or `file` for any. */
  accepts: readonly string[]
  isList: boolean
  value: Json | undefined
  onChange(value: Json | undefined): void
}

export function AssetPicker({ ids, label, accepts, isList, value, onChange }: Props) {
  const [open, setOpen] = useState(false)
  const names = [value].flat().filter((name): name is string => typeof name === 'string' && name !== '')
  const put = (next: string[]) => onChange(isList ? (next.length > 0 ? next : undefined) : next[0])
  const pick = (name: string) => {
    put(isList ? [...names, name] : [name])
    setOpen(false)
  }
  return (
    <div className="space-y-2">
      {names.map((name, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: the same asset may stand in a list twice.
          key={`${index} ${name}`}
          className="flex items-center gap-3 rounded-lg border border-line bg-well p-1.5 pr-1"
        >
          <Thumbnail name={name} size={40} />
          <span dir="auto" className="min-w-0 flex-1 truncate">
            {name}
          </span>
          {isList && index > 0 && (
            <IconButton
              icon={ArrowUp}
              label={t('Move {name} up', { name })}
              onClick={() => put(names.with(index - 1, name).with(index, names[index - 1] as string))}
            />
          )}
          <IconButton icon={X} label={t('Take {name} out', { name })} onClick={() => put(names.toSpliced(index, 1))} />
        </div>
      ))}
      {(isList || names.length === 0) && (
        <Button
          {...ids}
          aria-label={t('{label}: choose or upload', { label })}
          icon={Plus}
          onClick={() => setOpen(true)}
        >
          {isList && names.length > 0 ? t('Add another') : t('Choose or upload')}
        </Button>
      )}
      {!isList && names.length > 0 && (
        <Button
          {...ids}
          aria-label={t('{label}: choose another', { label })}
          look="quiet"
          onClick={() => setOpen(true)}
        >
          {t('Choose another')}
        </Button>
      )}
      {open && <Chooser label={label} accepts={accepts} onPick={pick} onClose={() => setOpen(false)} />}
    </div>
  )
}

function Thumbnail({ name, size }: { name: string; size: number }) {
  const { assets } = useContext(ShelfContext)
  const asset = assets.find(one => one.name === name)
  const box = 'grid shrink-0 place-items-center overflow-hidden rounded border border-line bg-card'
  if (asset?.mime.startsWith('image/'))
    return (
      <span className={classes(box, 'chequer')} style={{ width: size, height: size }}>
        <img
          src={assetFile(name, asset.sha256)}
          alt=""
          loading="lazy"
          className="max-h-full max-w-full object-contain"
        />
      </span>
    )
  const Icon = asset?.mime.startsWith('video/') ? Film : asset?.mime.startsWith('audio/') ? FileAudio : FileType
  return (
    <span className={box} style={{ width: size, height: size }}>
      <Icon aria-hidden className="size-1/2 text-soft" strokeWidth={1.5} />
    </span>
  )
}

const inputKinds: Record<string, string> = { image: 'image/*', video: 'video/*', audio: 'audio/*' }

function Chooser({
  label,
  accepts,
  onPick,
  onClose,
}: {
  label: string
  accepts: readonly string[]
  onPick(name: string): void
  onClose(): void
}) {
  const { assets, experienceId } = useContext(ShelfContext)
  const client = useQueryClient()
  const [text, setText] = useState('')
  const fits = assets.filter(
    ({ mime, experience_id }) =>
      (experience_id === null || experienceId === '' || experience_id === experienceId) &&
      accepts.some(medium => medium === 'file' || mime.startsWith(`${medium}/`)),
  )
  const shown = fits.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()))
  const upload = useMutation({
    mutationFn: async (file: File) => {
      const form = new FormData()
      form.set('name', freeName(file.name, new Set(assets.map(({ name }) => name))))
      if (experienceId !== null) form.set('experience_id', experienceId)
      form.set('file', file)
      return send<Asset>('POST', at('asset'), form)
    },
    onSuccess: async asset => {
      await client.invalidateQueries({ queryKey: ['asset'] })
      onPick(asset.name)
    },
  })
  const accept = accepts.includes('file') ? undefined : accepts.map(medium => inputKinds[medium]).join(',')
  return (
    <Dialog title={label} about={t('Choose an asset, or bring a file in.')} open wide onClose={onClose}>
      <div className="space-y-4">
        <div className="flex flex-wrap gap-2">
          <input
            type="search"
            aria-label={t('Find an asset by name')}
            placeholder={t('Find by name')}
            value={text}
            onChange={event => setText(event.target.value)}
            className={`${control} min-w-40 flex-1`}
          />
          <label
            className={classes(
              'inline-flex min-h-10 items-center gap-2 rounded-lg bg-ink px-3.5 text-[14px] font-semibold text-card focus-within:outline-2 focus-within:outline-offset-2',
              (experienceId === '' || upload.isPending) && 'opacity-50',
            )}
          >
            <Upload aria-hidden className="size-4" />
            {upload.isPending ? t('Uploading…') : t('Upload a file')}
            <input
              type="file"
              accept={accept}
              disabled={experienceId === '' || upload.isPending}
              className="sr-only"
              onChange={event => {
                const file = event.target.files?.[0]
                if (file) upload.mutate(file)
                event.target.value = ''
              }}
            />
          </label>
        </div>
        {experienceId === '' && (
          <p className="text-soft">{t('Choose the experience first; then a file can be uploaded for it.')}</p>
        )}
        {upload.isError && (
          <p role="alert" className="font-semibold text-fail">
            {sentence(upload.error)}
          </p>
        )}
        {shown.length === 0 ? (
          <p className="text-soft">{fits.length === 0 ? t('No asset fits here yet.') : t('Nothing has that name.')}</p>
        ) : (
          <ul className="grid max-h-[50dvh] grid-cols-2 gap-3 overflow-y-auto p-0.5 sm:grid-cols-4">
            {shown.map(asset => (
              <li key={asset.name}>
                <button
                  type="button"
                  onClick={() => onPick(asset.name)}
                  className="flex w-full flex-col items-center gap-1.5 rounded-lg border border-line bg-card p-2 hover:border-ink"
                >
                  <Thumbnail name={asset.name} size={96} />
                  <span dir="auto" className="w-full truncate text-[13.5px] font-semibold">
                    {asset.name}
                  </span>
                  <span className="text-[12px] text-soft">
                    {asset.width && asset.height ? `${asset.width} × ${asset.height}` : bytes(asset.bytes ?? 0)}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        )}
        <ByName onPick={onPick} />
      </div>
    </Dialog>
  )
}

/** A name may hold placeholders, so that each guest gets another asset. */
function ByName({ onPick }: { onPick(name: string): void }) {
  const [name, setName] = useState('')
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        if (name.trim()) onPick(name.trim())
      }}
      className="flex items-end gap-2 border-t border-line pt-4"
    >
      <div className="flex-1">
        <TextField
          label={t('Or by name')}
          placeholder="frame-{{table}}.png"
          value={name}
          onChange={event => setName(event.target.value)}
          help={t('It may hold placeholders.')}
        />
      </div>
      <Button type="submit" className="mb-6" disabled={!name.trim()}>
        {t('Use it')}
      </Button>
    </form>
  )
}

/** Names of assets are unique: a second `frame.png` is `frame 2.png`. */
export function freeName(wanted: string, taken: ReadonlySet<string>): string {
  const base = wanted.replaceAll('/', '-').slice(-120) || 'asset'
  if (!taken.has(base)) return base
  const dot = base.lastIndexOf('.')
  const [stem, ending] = dot > 0 ? [base.slice(0, dot), base.slice(dot)] : [base, '']
  for (let number = 2; ; number++) if (!taken.has(`${stem} ${number}${ending}`)) return `${stem} ${number}${ending}`
}

// Adds assets: several files at once, each under its own name; what was refused stays with its reason.

import { useQueryClient } from '@tanstack/react-query'
import { CheckCircle2, LoaderCircle, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { at, send, sentence } from '../api/client.ts'
import { useExperiences } from '../api/configurations.ts'
import type { Asset } from '../api/shapes.ts'
import { bytes } from '../format/size.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Dropzone } from '../parts/dropzone.tsx'
import { CheckField, control, TextField } from '../parts/field.tsx'
import { announce } from '../parts/toast.tsx'
import { t, tn } from '../words/t.ts'

interface Row {
  key: number
  file: File
  name: string
  state: 'new' | 'sending' | 'there'
  error: string | null
}

let keys = 0

export function AddAssets({ onClose }: { onClose(): void }) {
  const client = useQueryClient()
  const experiences = useExperiences()
  const [rows, setRows] = useState<Row[]>([])
  const [experience, setExperience] = useState('')
  const [shared, setShared] = useState(false)
  const [busy, setBusy] = useState(false)
  const change = (key: number, to: Partial<Row>) =>
    setRows(now => now.map(row => (row.key === key ? { ...row, ...to } : row)))
  const open = rows.filter(({ state }) => state !== 'there')

  const add = (files: File[]) =>
    setRows(now => [
      ...now,
      ...files.map((file): Row => ({ key: keys++, file, name: file.name, state: 'new', error: null })),
    ])

  const upload = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    let refused = 0
    // One after the other: a venue's uplink is no faster with ten at once, and the list tells where it is.
    for (const { key, name, file } of open) {
      change(key, { state: 'sending', error: null })
      const form = new FormData()
      form.set('name', name.trim())
      form.set('experience_id', shared ? '' : experience.trim())
      form.set('file', file)
      try {
        await send<Asset>('POST', at('asset'), form)
        change(key, { state: 'there' })
      } catch (error) {
        refused++
        change(key, { state: 'new', error: sentence(error) })
      }
    }
    setBusy(false)
    await client.invalidateQueries({ queryKey: ['asset'] })
    if (refused > 0) return
    announce(tn(open.length, '{name} is there.', '{count} assets are there.', { name: open[0]?.name ?? '' }))
    onClose()
  }

  return (
    <Dialog title={t('Add assets')} open onClose={onClose} wide={rows.length > 1}>
      <form onSubmit={event => void upload(event)} className="space-y-4">
        <Dropzone
          label={rows.length > 0 ? t('Drop more files here') : t('Drop files here')}
          hint={t('Pictures, videos, sounds, fonts or LUTs')}
          disabled={busy}
          onFile={file => add([file])}
          onFiles={add}
        />
        {rows.length > 0 && (
          <ul aria-label={t('Files')} className="space-y-2">
            {rows.map(row => (
              <li key={row.key}>
                <div className="flex items-center gap-2">
                  <input
                    aria-label={t('Name of {name}', { name: row.file.name })}
                    aria-invalid={row.error ? true : undefined}
                    dir="auto"
                    required
                    value={row.name}
                    disabled={busy || row.state === 'there'}
                    onChange={event => change(row.key, { name: event.target.value, error: null })}
                    className={control}
                  />
                  <span className="w-20 shrink-0 text-right text-[13.5px] text-soft">{bytes(row.file.size)}</span>
                  {row.state === 'new' && (
                    <IconButton
                      icon={X}
                      label={t('Leave out {name}', { name: row.file.name })}
                      disabled={busy}
                      onClick={() => setRows(now => now.filter(({ key }) => key !== row.key))}
                    />
                  )}
                  {row.state === 'sending' && (
                    <span role="img" aria-label={t('Uploading')} className="grid size-9 place-items-center">
                      <LoaderCircle aria-hidden className="size-4.5 animate-spin" />
                    </span>
                  )}
                  {row.state === 'there' && (
                    <span role="img" aria-label={t('There')} className="grid size-9 place-items-center text-ok">
                      <CheckCircle2 aria-hidden className="size-4.5" />
                    </span>
                  )}
                </div>
                {row.error && (
                  <p role="alert" className="mt-1 text-[13.5px] font-semibold text-fail [overflow-wrap:anywhere]">
                    {row.error}
                  </p>
                )}
              </li>
            ))}
          </ul>
        )}
        <p className="text-[13.5px] text-soft">{t('Configurations use an asset by its name.')}</p>
        <TextField
          label={t('Experience')}
          required={!shared}
          disabled={shared}
          list="experiences"
          value={shared ? '' : experience}
          onChange={event => setExperience(event.target.value)}
        />
        <datalist id="experiences">
          {experiences.data?.map(({ experience_id }) => (
            <option key={experience_id} value={experience_id} />
          ))}
        </datalist>
        <CheckField
          label={t('Shared by all experiences')}
          checked={shared}
          onChange={event => setShared(event.target.checked)}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('Back')}</Button>
          <Button type="submit" look="primary" busy={busy} disabled={open.length === 0}>
            {tn(Math.max(1, open.length), 'Upload', 'Upload {count} files')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

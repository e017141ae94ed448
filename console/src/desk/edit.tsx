// Changes what a guest is known by and the attributes; refused if somebody else changed them meanwhile.

import { useQueryClient } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { ApiError, fieldMessage } from '../api/client.ts'
import { changeGuest, guestKey } from '../api/desk.ts'
import type { Json, JsonObject, Profile } from '../api/shapes.ts'
import { readJson } from '../form/json-text.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { AreaField, control } from '../parts/field.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { announce } from '../parts/toast.tsx'
import { t } from '../words/t.ts'

const kinds = [
  ['email', t('E-mail')],
  ['qr_code', t('QR code')],
  ['rfid', 'RFID'],
] as const
type Kind = (typeof kinds)[number][0]

interface Row {
  id: number
  name: string
  text: string
}

const linesOf = (text: string): string[] => [
  ...new Set(
    text
      .split('\n')
      .map(line => line.trim())
      .filter(Boolean),
  ),
]
const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** What was no text stays what it was, if it can be read so. */
function typedAs(text: string, before: Json | undefined): Json {
  if (before === undefined || typeof before === 'string') return text
  const read = readJson(text)
  return read.ok ? read.value : text
}

/** Only what differs: names that are gone become null. */
function changedAttributes(before: JsonObject, rows: readonly Row[]): JsonObject {
  const now = new Map(
    rows
      .filter(({ name }) => name.trim() !== '')
      .map(({ name, text }) => [name.trim(), typedAs(text, before[name.trim()])]),
  )
  const gone = Object.keys(before).filter(name => !now.has(name))
  const changed = [...now].filter(([name, value]) => JSON.stringify(before[name]) !== JSON.stringify(value))
  return { ...Object.fromEntries(gone.map(name => [name, null])), ...Object.fromEntries(changed) }
}

interface Props {
  profile: Profile
  tag: string | null
  onClose(): void
}

export function EditGuest({ profile, tag, onClose }: Props) {
  const client = useQueryClient()
  const [values, setValues] = useState<Record<Kind, string>>({
    email: profile.email.join('\n'),
    qr_code: profile.qr_code.join('\n'),
    rfid: profile.rfid.join('\n'),
  })
  const [rows, setRows] = useState<Row[]>(
    Object.entries(profile.attributes).map(([name, value], id) => ({ id, name, text: textOf(value) })),
  )
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const isOutdated = error instanceof ApiError && error.code === 'changed_meanwhile'
  const change = (id: number, part: Partial<Row>) =>
    setRows(rows.map(row => (row.id === id ? { ...row, ...part } : row)))

  const save = async (event: FormEvent) => {
    event.preventDefault()
    const lists = kinds.flatMap(([kind]) => {
      const now = linesOf(values[kind])
      return now.join('\n') === profile[kind].join('\n') ? [] : [[kind, now] as const]
    })
    const attributes = changedAttributes(profile.attributes, rows)
    const patch = { ...Object.fromEntries(lists), ...(Object.keys(attributes).length > 0 ? { attributes } : {}) }
    if (Object.keys(patch).length === 0) return onClose()
    setBusy(true)
    setError(null)
    try {
      await changeGuest(profile.profile_id, patch, tag)
      await client.invalidateQueries({ queryKey: ['profile'] })
      announce(t('Saved.'))
      onClose()
    } catch (refusal) {
      setError(refusal)
      setBusy(false)
    }
  }
  return (
    <Dialog title={t('Change the guest')} about={t('One value on each line.')} wide open onClose={onClose}>
      <form onSubmit={event => void save(event)} className="space-y-4">
        <div className="grid gap-4 sm:grid-cols-3">
          {kinds.map(([kind, label]) => (
            <AreaField
              key={kind}
              label={label}
              rows={2}
              value={values[kind]}
              onChange={event => setValues({ ...values, [kind]: event.target.value })}
              error={fieldMessage(error, kind, `${kind}[0]`, `${kind}.0`)}
            />
          ))}
        </div>
        <fieldset>
          <legend className="mb-1 font-semibold">{t('What else is known')}</legend>
          <ul className="space-y-2">
            {rows.map(({ id, name, text }) => (
              <li key={id} className="flex gap-2">
                <input
                  aria-label={t('What')}
                  placeholder={t('name')}
                  value={name}
                  onChange={event => change(id, { name: event.target.value })}
                  className={`${control} w-1/3!`}
                />
                <input
                  aria-label={t('Value of {name}', { name: name || t('the new one') })}
                  value={text}
                  onChange={event => change(id, { text: event.target.value })}
                  className={`${control} min-w-0 flex-1`}
                />
                <IconButton
                  icon={Trash2}
                  label={t('Remove {name}', { name: name || t('the new one') })}
                  onClick={() => setRows(rows.filter(row => row.id !== id))}
                />
              </li>
            ))}
          </ul>
          <Button
            look="quiet"
            icon={Plus}
            className="mt-2"
            onClick={() => setRows([...rows, { id: Math.max(0, ...rows.map(row => row.id)) + 1, name: '', text: '' }])}
          >
            {t('Add')}
          </Button>
        </fieldset>
        {error !== null && <ErrorNote error={error} />}
        <div className="flex flex-wrap justify-end gap-2">
          {isOutdated && (
            <Button
              onClick={() => void client.invalidateQueries({ queryKey: guestKey(profile.profile_id) }).then(onClose)}
            >
              {t('Show what is there now')}
            </Button>
          )}
          <Button onClick={onClose}>{t('Back')}</Button>
          <Button type="submit" look="primary" busy={isBusy}>
            {t('Save')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

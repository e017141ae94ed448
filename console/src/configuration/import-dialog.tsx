// Import: paste or drop YAML or JSON, see what would change, then write it one by one and say what happened to each.

import { useQueryClient } from '@tanstack/react-query'
import { CheckCircle2, Circle, XCircle } from 'lucide-react'
import { useState } from 'react'
import { at, send, sentence } from '../api/client.ts'
import { writable } from '../api/configurations.ts'
import type { Configuration } from '../api/shapes.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Dropzone } from '../parts/dropzone.tsx'
import { AreaField } from '../parts/field.tsx'
import { announce } from '../parts/toast.tsx'
import { t, tn } from '../words/t.ts'
import { withStoredAuth } from './stored-auth.ts'
import { fromYaml, inOrder } from './yaml.ts'

type Outcome = 'written' | { refused: string }

export function ImportDialog({ known, onClose }: { known: Configuration[]; onClose(): void }) {
  const client = useQueryClient()
  const [text, setText] = useState('')
  const [fault, setFault] = useState<string | undefined>()
  const [found, setFound] = useState<Configuration[]>([])
  const [outcomes, setOutcomes] = useState<Record<string, Outcome>>({})
  const [busy, setBusy] = useState(false)
  const names = new Map(known.map(one => [one.configuration_name, one]))

  const read = async (next: string) => {
    setText(next)
    setOutcomes({})
    try {
      setFound(next.trim() === '' ? [] : inOrder(await fromYaml(next)))
      setFault(undefined)
    } catch (error) {
      setFound([])
      setFault(sentence(error))
    }
  }
  const write = async () => {
    setBusy(true)
    let written = 0
    for (const one of found) {
      const exists = names.has(one.configuration_name)
      const outcome = await send(
        exists ? 'PUT' : 'POST',
        exists ? at('configuration', one.configuration_name) : at('configuration'),
        withStoredAuth(writable(one), names.get(one.configuration_name)),
      ).then(
        (): Outcome => 'written',
        (error): Outcome => ({ refused: sentence(error) }),
      )
      if (outcome === 'written') written++
      setOutcomes(before => ({ ...before, [one.configuration_name]: outcome }))
    }
    await client.invalidateQueries({ queryKey: ['configuration'] })
    await client.invalidateQueries({ queryKey: ['experience'] })
    setBusy(false)
    if (written === found.length) {
      announce(tn(written, '1 configuration is imported.', '{count} configurations are imported.', { count: written }))
      onClose()
    }
  }

  return (
    <Dialog
      title={t('Import configurations')}
      about={t(
        'YAML or JSON: one configuration, a list, or an export of this page. Credentials that are left out stay as they are stored, if they go where they went before.',
      )}
      open
      wide
      onClose={onClose}
    >
      <div className="space-y-4">
        <Dropzone
          label={t('Drop a file here')}
          accept=".yaml,.yml,.json,text/*,application/json"
          onFile={file => void file.text().then(read)}
        />
        <AreaField
          label={t('Or paste it')}
          rows={7}
          spellCheck={false}
          className="font-mono text-[13px]"
          value={text}
          onChange={event => void read(event.target.value)}
          error={fault}
        />
        {found.length > 0 && (
          <ul aria-live="polite" className="max-h-60 space-y-1.5 overflow-y-auto">
            {found.map(({ configuration_name: name, experience_id }) => {
              const outcome = outcomes[name]
              const Icon = !outcome ? Circle : outcome === 'written' ? CheckCircle2 : XCircle
              return (
                <li key={name} className="flex gap-2">
                  <Icon
                    aria-hidden
                    className={`mt-1 size-4 shrink-0 ${!outcome ? 'text-soft' : outcome === 'written' ? 'text-ok' : 'text-fail'}`}
                  />
                  <span className="min-w-0 [overflow-wrap:anywhere]">
                    <bdi className="font-semibold">{name}</bdi>{' '}
                    <span className="text-soft">
                      {experience_id ?? t('all experiences')} ·{' '}
                      {outcome === 'written' ? t('written') : names.has(name) ? t('replaces what is there') : t('new')}
                    </span>
                    {outcome && outcome !== 'written' && <span className="block text-fail">{outcome.refused}</span>}
                  </span>
                </li>
              )
            })}
          </ul>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('Back')}</Button>
          <Button look="primary" busy={busy} disabled={found.length === 0} onClick={() => void write()}>
            {tn(found.length, 'Import it', 'Import {count}', { count: found.length || '' })}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

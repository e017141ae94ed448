// What a configuration was before: each version, who made it, what differs from now, and the way back.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { at, get, query, send } from '../api/client.ts'
import { readConfiguration, refresh } from '../api/configurations.ts'
import type { Configuration, List } from '../api/shapes.ts'
import { fieldWords } from '../form/words.ts'
import { Button } from '../parts/button.tsx'
import { classes } from '../parts/classes.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { Ago } from '../parts/time.tsx'
import { announce } from '../parts/toast.tsx'
import { t } from '../words/t.ts'
import { valueWords } from './changed-meanwhile.tsx'
import { differences } from './difference.ts'

interface Version {
  version: number
  is_current: boolean
  change: 'made' | 'changed' | 'restored'
  restored_from: number | null
  changed_by: { name: string } | null
  created_at: string
  configuration: Configuration
}

interface Props {
  name: string
  current: Configuration
  tag: string | null
  may: boolean
  onClose(): void
}

export function Versions({ name, current, tag, may, onClose }: Props) {
  const versions = useQuery({
    queryKey: ['configuration', 'versions', name, tag],
    queryFn: ({ signal }) => get<List<Version>>(query(at('configuration', name, 'versions'), { limit: 100 }), signal),
  })
  const [chosen, setChosen] = useState<number | null>(null)
  const items = versions.data?.items ?? []
  const version = items.find(one => one.version === chosen)
  return (
    <Dialog title={t('Versions')} about={t('What it was, and who changed it.')} open wide onClose={onClose}>
      {versions.isPending && <Loading />}
      {versions.isError && <ErrorNote error={versions.error} retry={() => void versions.refetch()} />}
      <div className="grid gap-4 sm:grid-cols-[minmax(0,14rem)_minmax(0,1fr)]">
        <ul className="max-h-[55dvh] space-y-1.5 overflow-y-auto p-0.5">
          {items.map(one => (
            <li key={one.version}>
              <button
                type="button"
                aria-pressed={one.version === chosen}
                onClick={() => setChosen(one.version)}
                className={classes(
                  'w-full rounded-lg border px-3 py-2 text-left',
                  one.version === chosen ? 'border-ink bg-well' : 'border-line hover:border-edge',
                )}
              >
                <span className="block font-semibold">
                  {one.is_current
                    ? t('Version {version}, now', { version: one.version })
                    : t('Version {version}', { version: one.version })}
                </span>
                <span dir="auto" className="block truncate text-[13px] text-soft">
                  {one.changed_by?.name ?? t('unknown')}
                </span>
                <Ago at={one.created_at} className="block text-[13px] text-soft" />
              </button>
            </li>
          ))}
        </ul>
        {version ? (
          <Compared
            key={version.version}
            name={name}
            version={version}
            current={current}
            tag={tag}
            may={may}
            onClose={onClose}
          />
        ) : (
          <p className="text-soft">{t('Choose one to see what differs from now.')}</p>
        )}
      </div>
    </Dialog>
  )
}

function Compared({ name, version, current, tag, may, onClose }: Props & { version: Version }) {
  const client = useQueryClient()
  const all = differences(current, version.configuration, current)
  const restore = useMutation({
    mutationFn: async () => {
      await send('POST', at('configuration', name, 'versions', version.version, 'restore'), undefined, tag)
      return readConfiguration(name)
    },
    onSuccess: now => {
      refresh(client, now)
      void client.invalidateQueries({ queryKey: ['configuration', 'versions'] })
      announce(t('Version {version} is back.', { version: version.version }))
      onClose()
    },
  })
  return (
    <div className="min-w-0 space-y-3">
      {all.length === 0 && <p className="text-soft">{t('It says the same as now.')}</p>}
      {all.length > 0 && (
        <table className="w-full table-fixed text-[14px]">
          <thead>
            <tr className="text-left text-[13px] text-soft">
              <th className="w-1/3 py-1 font-normal">{t('Field')}</th>
              <th className="py-1 font-normal">{t('Then')}</th>
              <th className="py-1 font-normal">{t('Now')}</th>
            </tr>
          </thead>
          <tbody>
            {all.map(({ field, mine, theirs }) => (
              <tr key={field} className="border-t border-line align-top">
                <th className="py-1.5 pr-2 text-left font-semibold">{fieldWords(field)}</th>
                <td dir="auto" className="bg-ok-bg px-2 py-1.5 whitespace-pre-wrap [overflow-wrap:anywhere]">
                  {valueWords(mine)}
                </td>
                <td dir="auto" className="px-2 py-1.5 whitespace-pre-wrap [overflow-wrap:anywhere]">
                  {valueWords(theirs)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {restore.isError && <ErrorNote error={restore.error} title={t('It was not restored')} />}
      {may && !version.is_current && (
        <Button look="primary" icon={RotateCcw} busy={restore.isPending} onClick={() => restore.mutate()}>
          {t('Restore this version')}
        </Button>
      )}
    </div>
  )
}

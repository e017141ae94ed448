// The gallery of steps: what each does as a picture, to be found by word or by what it works on.

import { Send, Workflow } from 'lucide-react'
import { useState } from 'react'
import type { Adapter, Configuration } from '../api/shapes.ts'
import { adapterTitle } from '../form/words.ts'
import { classes } from '../parts/classes.ts'
import { Dialog } from '../parts/dialog.tsx'
import { control } from '../parts/field.tsx'
import { t } from '../words/t.ts'
import { adapterPicture } from './pictures.ts'

export type Picked = { adapter: Adapter } | { configuration: Configuration }

const groups = ['All', 'Photo', 'Video', 'Sound', 'Deliver', 'Yours'] as const
type Group = (typeof groups)[number]
const groupWords: Record<Group, string> = {
  All: t('All'),
  Photo: t('Photo'),
  Video: t('Video'),
  Sound: t('Sound'),
  Deliver: t('Deliver'),
  Yours: t('Yours|steps'),
}

export const groupOf = ({ kind, adapter_name, accepts }: Adapter): Group => {
  if (kind === 'destination') return 'Deliver'
  if (adapter_name.startsWith('audio')) return 'Sound'
  if (adapter_name.startsWith('video')) return 'Video'
  if (adapter_name.startsWith('photo')) return 'Photo'
  return accepts.includes('video') ? 'Video' : accepts.includes('audio') ? 'Sound' : 'Photo'
}

interface Props {
  adapters: readonly Adapter[]
  /** Configurations that may be steps themselves; none where only an adapter is asked for. */
  configurations: readonly Configuration[]
  title: string
  onPick(picked: Picked): void
  onClose(): void
}

export function Gallery({ adapters, configurations, title, onPick, onClose }: Props) {
  const [group, setGroup] = useState<Group>('All')
  const [text, setText] = useState('')
  const wanted = text.trim().toLowerCase()
  const fits = (...words: (string | null | undefined)[]) => words.join(' ').toLowerCase().includes(wanted)
  const shown = adapters
    .filter(one => group === 'All' || groupOf(one) === group)
    .filter(({ adapter_name, summary }) => fits(adapter_name, summary, adapterTitle(adapter_name)))
    .toSorted((a, b) => groups.indexOf(groupOf(a)) - groups.indexOf(groupOf(b)))
  const own = configurations
    .filter(() => group === 'All' || group === 'Yours')
    .filter(({ configuration_name, adapter_name }) => fits(configuration_name, adapter_name))
  return (
    <Dialog title={title} open wide onClose={onClose}>
      <div className="space-y-4">
        <input
          type="search"
          aria-label={t('Find a step')}
          placeholder={t('Find a step: text, QR, crop, bucket…')}
          value={text}
          autoFocus
          onChange={event => setText(event.target.value)}
          className={control}
        />
        <div className="flex flex-wrap gap-1.5">
          {groups
            .filter(one => one !== 'Yours' || configurations.length > 0)
            .map(one => (
              <button
                key={one}
                type="button"
                aria-pressed={group === one}
                onClick={() => setGroup(one)}
                className={classes(
                  'min-h-9 rounded-full border px-3.5 text-[14px] font-semibold max-md:min-h-11',
                  group === one ? 'border-ink bg-ink text-card' : 'border-line hover:border-edge',
                )}
              >
                {groupWords[one]}
              </button>
            ))}
        </div>
        <ul className="grid max-h-[58dvh] grid-cols-1 gap-3 overflow-y-auto p-0.5 sm:grid-cols-2 lg:grid-cols-3">
          {shown.map(adapter => (
            <li key={adapter.adapter_name}>
              <Tile
                title={adapterTitle(adapter.adapter_name)}
                about={adapter.summary}
                picture={adapterPicture(adapter.adapter_name)}
                isDestination={adapter.kind === 'destination'}
                onPick={() => onPick({ adapter })}
              />
            </li>
          ))}
          {own.map(configuration => (
            <li key={configuration.configuration_name}>
              <Tile
                title={configuration.configuration_name}
                about={
                  configuration.call_chain
                    ? t('One of your chains')
                    : t('One of yours: {title}', { title: adapterTitle(configuration.adapter_name ?? '') })
                }
                picture={adapterPicture(configuration.adapter_name ?? '')}
                isDestination={configuration.kind === 'destination'}
                onPick={() => onPick({ configuration })}
              />
            </li>
          ))}
        </ul>
        {shown.length + own.length === 0 && <p className="text-soft">{t('No step has this word.')}</p>}
      </div>
    </Dialog>
  )
}

function Tile({
  title,
  about,
  picture,
  isDestination,
  onPick,
}: {
  title: string
  about: string
  picture: string | undefined
  isDestination: boolean
  onPick(): void
}) {
  const Icon = isDestination ? Send : Workflow
  return (
    <button
      type="button"
      onClick={onPick}
      className="flex h-full w-full flex-col rounded-card border border-line bg-card p-2.5 text-left hover:border-ink"
    >
      {picture ? (
        <img src={picture} alt="" loading="lazy" className="aspect-[5/2] w-full rounded-md bg-well object-contain" />
      ) : (
        <span className="grid aspect-[5/2] w-full place-items-center rounded-md bg-well">
          <Icon aria-hidden className="size-8 text-soft" strokeWidth={1.5} />
        </span>
      )}
      <span dir="auto" className="mt-2 font-semibold [overflow-wrap:anywhere]">
        {title}
      </span>
      <span className="line-clamp-2 text-[13px] text-soft">{about}</span>
    </button>
  )
}

// The flow editor: the graph, the list, the gallery and the panel of one step; all of them write the same work.

import { List, Redo2, Undo2 } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { Adapter, CallChain, Configuration, FieldError } from '../api/shapes.ts'
import { emptySingle } from '../configuration/draft.ts'
import type { KeptWork, Step, Work } from '../configuration/kept-work.ts'
import { finalNames, newStepKey, shownName } from '../configuration/step-names.ts'
import { needsOf } from '../form/needs.ts'
import { adapterTitle } from '../form/words.ts'
import { IconButton } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Card, CardTitle } from '../parts/page.tsx'
import { t } from '../words/t.ts'
import { Gallery, type Picked } from './gallery.tsx'
import { ChainGraph, type Spot } from './graph.tsx'
import { ChainList } from './list.tsx'
import { add, duplicate, fromCallChain, insertBefore, type Link, remove, toCallChain } from './model.ts'
import type { StepLook, StepResult } from './step-face.tsx'
import { StepPanel } from './step-panel.tsx'
import { useWide } from './wide.ts'

interface Props {
  kept: KeptWork
  adapters: readonly Adapter[]
  /** Everything that is stored. */
  known: readonly Configuration[]
  errors: FieldError[]
  stepErrors: Readonly<Record<string, FieldError[]>>
  needsSecrets: boolean
  isMarked: boolean
  results: Readonly<Record<number, StepResult>>
  onChange(work: Work): void
}

export default function ChainEditor({
  kept,
  adapters,
  known,
  errors,
  stepErrors,
  needsSecrets,
  isMarked,
  results,
  onChange,
}: Props) {
  const { work } = kept
  const chain = work.configuration.call_chain ?? []
  const [links, setLinks] = useLinks(chain)
  const [selected, setSelected] = useState<string | null>(null)
  const [spot, setSpot] = useState<Spot | null>(() => (chain.length === 0 ? { after: null } : null))
  const isWide = useWide()
  const own = work.configuration.configuration_name
  const stored = new Map(known.map(one => [one.configuration_name, one]))
  const configurationOf = (key: string) => work.steps[key]?.configuration ?? stored.get(key)

  const write = (next: Link[], steps: Work['steps'] = work.steps) => {
    setLinks(next)
    onChange({ configuration: { ...work.configuration, call_chain: toCallChain(next) }, steps })
  }
  const pick = (picked: Picked) => {
    if (!spot) return
    const isMade = 'adapter' in picked
    const name = isMade ? newStepKey() : picked.configuration.configuration_name
    const next = 'before' in spot ? insertBefore(links, spot.before, name) : add(links, name, spot.after)
    const step: Step | undefined = isMade
      ? {
          configuration: emptySingle(work.configuration.experience_id ?? '', picked.adapter),
          read: undefined,
        }
      : undefined
    write(next, step ? { ...work.steps, [name]: step } : work.steps)
    setSpot(null)
    setSelected(next.find(link => !links.some(({ key }) => key === link.key))?.key ?? null)
  }
  const removeAll = (keys: string[]) => {
    write(keys.reduce(remove, links))
    if (selected && keys.includes(selected)) setSelected(null)
  }
  const copy = (link: Link) => {
    const original = configurationOf(link.name)
    if (!original || original.call_chain) return write(duplicate(links, link.key, link.name))
    const key = newStepKey()
    // Stored credentials stay with the original: nobody can read them here.
    const auth = work.steps[link.name]?.read || stored.has(link.name) ? {} : (original.adapter_config?.auth ?? {})
    const configuration = {
      ...original,
      configuration_name: '',
      adapter_config: { ...original.adapter_config, auth },
    }
    write(duplicate(links, link.key, key), { ...work.steps, [key]: { configuration, read: undefined } })
  }
  const { undo, redo } = kept
  useUndoKeys(undo, redo)

  const looks = new Map(
    links.map(({ key, name }, index): [string, StepLook] => {
      const configuration = configurationOf(name)
      const adapter = adapters.find(({ adapter_name }) => adapter_name === configuration?.adapter_name)
      const needs = adapter && configuration ? needsOf(adapter, configuration) : []
      const isUnready = (stepErrors[name]?.length ?? 0) > 0 || needs.some(({ how }) => how === 'must')
      return [
        key,
        {
          name: shownName(name, work.steps[name]?.configuration),
          does: configuration?.call_chain
            ? t('A chain of its own')
            : adapter
              ? adapterTitle(adapter.adapter_name)
              : t('Not found'),
          adapterName: configuration?.adapter_name ?? null,
          isDestination: adapter?.kind === 'destination',
          result: results[index],
          trouble: isUnready ? t('Not complete') : needs.length > 0 ? t('Needs extras') : undefined,
        },
      ]
    }),
  )
  const byIndex = new Map(
    errors.flatMap(({ field, message }) => {
      const index = /call_chain[.[](\d+)/.exec(field)?.[1]
      return index === undefined ? [] : [[Number(index), message] as const]
    }),
  )
  const whole = errors.find(({ field }) => field === 'call_chain' && chain.length > 0)?.message
  const names = finalNames(work, new Set(stored.keys()))
  const chosen = links.find(({ key }) => key === selected)
  const list = (isWhole: boolean) => (
    <>
      <ChainList
        links={links}
        looks={looks}
        errors={byIndex}
        isWhole={isWhole}
        onAdd={setSpot}
        onSelect={setSelected}
        onRemove={removeAll}
        onChange={write}
      />
      {whole && <p className="px-4 py-2 font-semibold text-fail">{whole}</p>}
    </>
  )
  const panel = chosen && (
    <StepPanel
      key={`${chosen.key} ${kept.turn}`}
      stepKey={chosen.name}
      shownName={looks.get(chosen.key)?.name ?? chosen.name}
      step={work.steps[chosen.name]}
      suggestion={names.get(chosen.name) ?? ''}
      adapters={adapters}
      usedBy={known
        .filter(
          ({ configuration_name, call_chain }) =>
            configuration_name !== own && call_chain?.some(([name]) => name === chosen.name),
        )
        .map(({ configuration_name }) => configuration_name)}
      errors={stepErrors[chosen.name] ?? []}
      needsSecrets={needsSecrets}
      isMarked={isMarked}
      onChange={step => onChange({ ...work, steps: { ...work.steps, [chosen.name]: step } })}
      onDuplicate={() => copy(chosen)}
      onRemove={() => removeAll([chosen.key])}
      onClose={() => setSelected(null)}
    />
  )
  const choices = known.filter(
    ({ experience_id, configuration_name }) =>
      configuration_name !== own && (experience_id === null || experience_id === work.configuration.experience_id),
  )
  return (
    <Card className="overflow-clip">
      <CardTitle
        aside={
          <span className="flex items-center gap-1">
            <IconButton
              icon={Undo2}
              label={t('Undo')}
              disabled={!undo}
              onClick={undo}
              className="disabled:opacity-30"
            />
            <IconButton
              icon={Redo2}
              label={t('Redo')}
              disabled={!redo}
              onClick={redo}
              className="disabled:opacity-30"
            />
            {isWide && chosen && (
              <IconButton icon={List} label={t('Show the steps as a list')} onClick={() => setSelected(null)} />
            )}
          </span>
        }
      >
        {t('The steps')}
      </CardTitle>
      {isWide ? (
        <div className="grid grid-cols-[minmax(0,1fr)_minmax(320px,400px)]">
          <div className="min-w-0 border-r border-line">
            <ChainGraph
              links={links}
              looks={looks}
              selected={selected}
              onAdd={setSpot}
              onSelect={setSelected}
              onRemove={removeAll}
              onChange={write}
            />
          </div>
          <Side>{panel ?? list(false)}</Side>
        </div>
      ) : (
        <>
          {list(true)}
          {panel && (
            <Dialog title={t('Set up the step')} open onClose={() => setSelected(null)}>
              {panel}
            </Dialog>
          )}
        </>
      )}
      {spot && (
        <Gallery
          title={links.length === 0 ? t('What happens first?') : t('Add a step')}
          adapters={adapters}
          configurations={choices}
          onPick={pick}
          onClose={() => setSpot(null)}
        />
      )}
    </Card>
  )
}

const Side = ({ children }: { children: ReactNode }) => (
  <div className="h-[min(60dvh,560px)] min-h-80 overflow-y-auto">{children}</div>
)

/** Entries with keys that stay, as long as the chain is not changed from elsewhere: an undo, an import, a merge. */
function useLinks(chain: CallChain): [Link[], (next: Link[]) => void] {
  const [links, setLinks] = useState<Link[]>(() => fromCallChain(chain))
  const given = useRef(JSON.stringify(chain))
  if (JSON.stringify(chain) !== given.current) {
    given.current = JSON.stringify(chain)
    setLinks(fromCallChain(chain))
  }
  return [
    links,
    next => {
      given.current = JSON.stringify(toCallChain(next))
      setLinks(next)
    },
  ]
}

/** Ctrl+Z and Ctrl+Shift+Z (or Ctrl+Y); inside a text field they belong to that field. */
function useUndoKeys(undo: (() => void) | undefined, redo: (() => void) | undefined): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement | null
      if (!(event.ctrlKey || event.metaKey) || target?.closest('input, textarea, select, [role=dialog]')) return
      const key = event.key.toLowerCase()
      const act =
        key === 'z' && !event.shiftKey ? undo : key === 'y' || (key === 'z' && event.shiftKey) ? redo : undefined
      if (!act) return
      event.preventDefault()
      act()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [undo, redo])
}

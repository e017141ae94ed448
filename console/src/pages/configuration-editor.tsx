// One configuration: its form or its steps, a live layout for the compositor, trying it, copying it, deleting it.

import { lazy, Suspense, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import {
  type Read,
  useAdapters,
  useAssets,
  useConfiguration,
  useConfigurations,
  useExperiences,
} from '../api/configurations.ts'
import { useMay } from '../api/session.ts'
import type { Adapter, Configuration } from '../api/shapes.ts'
import type { StepResult } from '../chain/step-face.tsx'
import { BasicsForm } from '../configuration/basics-form.tsx'
import { defaultsOf, emptyChain, emptySingle, unsavedOptions, withDefaults } from '../configuration/draft.ts'
import { useAskBeforeLeaving, useKeptWork, type Work } from '../configuration/kept-work.ts'
import { SaveBar } from '../configuration/save-bar.tsx'
import { SaveNotes } from '../configuration/save-notes.tsx'
import { toWrite } from '../configuration/save-work.ts'
import { useServerCheck } from '../configuration/server-check.ts'
import { Share } from '../configuration/share.tsx'
import { SingleOptions } from '../configuration/single-options.tsx'
import { freeName, shownName } from '../configuration/step-names.ts'
import { endsOf, needsOfAll, singleSteps, unsavedOf } from '../configuration/steps.ts'
import { TryPanel } from '../configuration/try-panel.tsx'
import { useSave } from '../configuration/use-save.ts'
import { FirstExperience } from '../experience/first-experience.tsx'
import { useForExperience } from '../experience/for-experience.tsx'
import { ShelfContext } from '../form/asset-picker.tsx'
import { ErrorNote, Loading, Notice } from '../parts/notes.tsx'
import { Card, Page } from '../parts/page.tsx'
import { t } from '../words/t.ts'
import { kindOf, kindWords } from './configurations.tsx'

const ChainEditor = lazy(() => import('../chain/editor.tsx'))
const CompositorEditor = lazy(() => import('../compositor/editor.tsx'))

const over = (
  <Link to="/configurations" className="hover:text-ink hover:underline">
    {t('Configurations')}
  </Link>
)

export function ConfigurationEditor() {
  const [params] = useSearchParams()
  const name = params.get('name') ?? undefined
  const stored = useConfiguration(name)
  const known = useConfigurations()
  const adapters = useAdapters()
  // These stay when a new configuration gets its own address.
  const [file, setFile] = useState<File | null>(null)
  const [isTryDue, setTryDue] = useState(false)
  const isChain = params.get('kind') === 'chain'
  const title = name ?? (isChain ? t('New chain') : t('New configuration'))
  if ((name !== undefined && stored.isPending) || (name === undefined && (known.isPending || adapters.isPending)))
    return (
      <Page title={title} over={over}>
        <Loading />
      </Page>
    )
  if (name !== undefined && !stored.data)
    return (
      <Page title={title} over={over}>
        <ErrorNote error={stored.error} retry={() => void stored.refetch()} />
      </Page>
    )
  // The event that is looked at is in the address, too; it makes no other configuration of this one.
  const draftKey = name === undefined ? params.toString() : `name=${name}`
  return (
    <Editor
      key={draftKey}
      draftKey={draftKey}
      read={stored.data}
      start={stored.data?.value ?? newStart(params, known.data ?? [], adapters.data ?? [])}
      title={title}
      file={file}
      setFile={setFile}
      isTryDue={isTryDue}
      setTryDue={setTryDue}
    />
  )
}

function newStart(
  params: URLSearchParams,
  known: readonly Configuration[],
  adapters: readonly Adapter[],
): Configuration {
  const experience = params.get('experience') ?? ''
  const copied = known.find(one => one.configuration_name === params.get('copy'))
  const taken = new Set(known.map(one => one.configuration_name))
  if (copied) {
    const { kind: _kind, created_at: _made, updated_at: _changed, ...rest } = copied
    const config = rest.adapter_config ? { adapter_config: { ...rest.adapter_config, auth: {} } } : {}
    return {
      ...rest,
      ...config,
      configuration_name: freeName(t('{name} copy', { name: copied.configuration_name }), taken),
    }
  }
  if (params.get('kind') !== 'chain')
    return emptySingle(
      experience,
      adapters.find(one => one.adapter_name === params.get('adapter')),
    )
  const first = known.find(one => one.configuration_name === params.get('first'))
  const chain = emptyChain(first?.experience_id ?? experience)
  return first ? { ...chain, call_chain: [[first.configuration_name, null]] } : chain
}

interface EditorProps {
  draftKey: string
  read: Read | undefined
  start: Configuration
  title: string
  file: File | null
  setFile(file: File): void
  isTryDue: boolean
  setTryDue(isDue: boolean): void
}

function Editor({ draftKey, read, start, title, file, setFile, isTryDue, setTryDue }: EditorProps) {
  const may = useMay('write')
  const kept = useKeptWork(draftKey, start, read)
  const { dirty, work } = kept
  const draft = work.configuration
  const { triedFor, picker } = useForExperience(draft.experience_id === null)
  const stored = kept.read?.value
  const adapters = useAdapters().data ?? []
  const assets = useAssets().data ?? []
  const known = useConfigurations().data ?? []
  const experiences = useExperiences()
  const [results, setResults] = useState<Record<number, StepResult>>({})
  const isChain = draft.call_chain !== undefined && draft.call_chain !== null
  const taken = new Set(known.map(one => one.configuration_name))
  const written = toWrite(work, kept.read, taken)
  const check = useServerCheck(written, may && dirty)
  const steps = singleSteps(work, known, adapters)
  const needs = needsOfAll(steps)
  const saving = useSave(kept, written, needs, () => setTryDue(false))
  const errors = [...saving.errors, ...check.errors]
  const edit = (next: Work) => {
    kept.change(next)
    saving.forget()
  }
  const write = (configuration: Configuration) => edit({ ...work, configuration })
  useAskBeforeLeaving(dirty)
  const bar = (
    <SaveBar
      check={check}
      needs={needs}
      busy={saving.isPending}
      may={may}
      onSave={saving.submit}
      {...(dirty
        ? {
            onDiscard: () => {
              saving.forget()
              setResults({})
              kept.discard()
            },
          }
        : {})}
    />
  )
  if (!stored && draft.experience_id === '')
    return (
      <Page title={title} over={over}>
        <FirstExperience
          experiences={experiences.data}
          onChoose={(id, name) =>
            kept.change({
              ...work,
              configuration: {
                ...draft,
                experience_id: id,
                ...(isChain && !draft.configuration_name
                  ? { configuration_name: freeName(t('{name} flow', { name: name ?? id }), taken) }
                  : {}),
              },
            })
          }
          {...(isChain ? {} : { onShare: () => write({ ...draft, experience_id: null }) })}
        />
      </Page>
    )
  const adapter = adapters.find(({ adapter_name }) => adapter_name === draft.adapter_name)
  const isCompositor = draft.adapter_name === 'photo_compositor'
  const waiting = (
    <Card>
      <Loading />
    </Card>
  )
  const isStructural =
    isChain &&
    (written.some(({ key, read }) => key !== null && !read) ||
      JSON.stringify(draft.call_chain) !== JSON.stringify(stored?.call_chain))
  return (
    <ShelfContext value={{ assets, experienceId: draft.experience_id }}>
      <Page
        title={title}
        over={
          <>
            {over}
            {stored && ` · ${kindWords[kindOf(stored)]}`}
          </>
        }
        actions={stored && <Share configuration={stored} may={may} tag={kept.read?.tag ?? null} />}
      >
        <div className="space-y-5">
          <SaveNotes saving={saving} kept={kept} />
          {!saving.error && check.sentence && (
            <Notice title={t('It could not be saved like this')}>{check.sentence}</Notice>
          )}
          {isChain && (
            <Suspense fallback={waiting}>
              <ChainEditor
                kept={kept}
                adapters={adapters}
                known={known}
                errors={errors}
                stepErrors={{ ...saving.stepErrors, ...check.stepErrors }}
                needsSecrets={check.needsSecrets}
                isMarked={saving.isMarked}
                results={results}
                onChange={next => {
                  if (JSON.stringify(next.configuration.call_chain) !== JSON.stringify(draft.call_chain)) setResults({})
                  edit(next)
                }}
              />
            </Suspense>
          )}
          <div key={kept.turn} className="contents">
            {isCompositor && adapter && (
              <Suspense fallback={waiting}>
                <CompositorEditor
                  name={stored?.configuration_name}
                  version={stored?.updated_at ?? ''}
                  experience={draft.experience_id || null}
                  schema={adapter.defaults_schema}
                  values={defaultsOf(draft)}
                  unsaved={unsavedOptions(draft, stored)}
                  assets={assets}
                  errors={errors}
                  file={file}
                  onFile={setFile}
                  onChange={defaults => write(withDefaults(draft, defaults))}
                />
              </Suspense>
            )}
            <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_minmax(0,1.1fr)]">
              <div className="min-w-0 space-y-5">
                <BasicsForm
                  draft={draft}
                  isNew={!stored}
                  errors={errors}
                  experiences={experiences.data ?? []}
                  forExperience={picker}
                  onChange={write}
                />
                {!isChain && (
                  <SingleOptions
                    draft={draft}
                    stored={stored}
                    triedFor={triedFor}
                    isDirty={dirty}
                    adapters={adapters}
                    errors={errors}
                    needsSecrets={check.needsSecrets}
                    isMarked={saving.isMarked}
                    without={isCompositor ? ['layers', 'canvas'] : []}
                    onChange={write}
                  />
                )}
              </div>
              <div className="min-w-0 xl:sticky xl:top-5">
                <TryPanel
                  name={stored?.configuration_name ?? ''}
                  isReady={stored !== undefined && !isStructural}
                  triedFor={triedFor}
                  unsaved={unsavedOf(work, stored)}
                  steps={steps}
                  needs={needs}
                  nameOf={step => shownName(step.name, step.configuration) || t('this one')}
                  file={file}
                  onFile={setFile}
                  ends={endsOf(work, known, adapters)}
                  onResults={setResults}
                  onSave={() => {
                    setTryDue(true)
                    saving.submit()
                  }}
                  isDue={isTryDue}
                  onBegun={() => setTryDue(false)}
                />
              </div>
            </div>
          </div>
          {(dirty || !stored) && bar}
        </div>
      </Page>
    </ShelfContext>
  )
}

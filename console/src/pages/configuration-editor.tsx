// One configuration: its form or chain, a live layout for the compositor, trying it, copying it, deleting it.
import { lazy, Suspense, useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { ApiError } from '../api/client.ts'
import {
  useAdapters,
  useAssets,
  useConfiguration,
  useConfigurations,
  useExperiences,
  useSaveConfiguration,
  writable,
} from '../api/configurations.ts'
import { useMay } from '../api/session.ts'
import type { Configuration } from '../api/shapes.ts'
import { AdapterPicker } from '../configuration/adapter-picker.tsx'
import { BasicsForm } from '../configuration/basics-form.tsx'
import {
  authOf,
  defaultsOf,
  emptyChain,
  emptySingle,
  unsavedOptions,
  withAuth,
  withDefaults,
} from '../configuration/draft.ts'
import { forgetDraft, useAskBeforeLeaving, useKeptDraft } from '../configuration/kept-draft.ts'
import { SaveBar } from '../configuration/save-bar.tsx'
import { useServerCheck } from '../configuration/server-check.ts'
import { Share } from '../configuration/share.tsx'
import { TryPanel } from '../configuration/try-panel.tsx'
import { AuthForm, OptionsForm } from '../form/options-form.tsx'
import { ErrorNote, Loading, Notice } from '../parts/notes.tsx'
import { Card, CardTitle, Page } from '../parts/page.tsx'
import { announce } from '../parts/toast.tsx'
import { configurationPage } from '../places.ts'
import { kindOf } from './configurations.tsx'

const ChainEditor = lazy(() => import('../chain/editor.tsx'))
const CompositorEditor = lazy(() => import('../compositor/editor.tsx'))

export function ConfigurationEditor() {
  const [params] = useSearchParams()
  const name = params.get('name') ?? undefined
  const stored = useConfiguration(name)
  // Stays when a new configuration gets its own address.
  const [file, setFile] = useState<File | null>(null)
  const [turn, setTurn] = useState(0)
  const over = (
    <Link to="/configurations" className="hover:text-ink hover:underline">
      Configurations
    </Link>
  )
  const title = name ?? (params.get('kind') === 'chain' ? 'New chain' : 'New configuration')
  if (name !== undefined && stored.isPending)
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
  const experience = params.get('experience') ?? ''
  const start =
    stored.data ??
    (params.get('kind') === 'chain' ? emptyChain(experience) : emptySingle(experience, params.get('adapter') ?? ''))
  const draftKey = params.toString()
  return (
    <Editor
      key={`${turn} ${draftKey}`}
      draftKey={draftKey}
      stored={stored.data}
      start={start}
      title={title}
      file={file}
      setFile={setFile}
      onDiscard={() => {
        forgetDraft(draftKey)
        // Fields keep text of their own while it is typed: all of them begin anew.
        setTurn(turn + 1)
      }}
    />
  )
}

interface EditorProps {
  draftKey: string
  stored: Configuration | undefined
  start: Configuration
  title: string
  file: File | null
  setFile(file: File): void
  onDiscard(): void
}

function Editor({ draftKey, stored, start, title, file, setFile, onDiscard }: EditorProps) {
  const navigate = useNavigate()
  const may = useMay('write')
  const { draft, change, settle } = useKeptDraft(draftKey, start)
  const save = useSaveConfiguration()
  const adapters = useAdapters()
  const assets = useAssets()
  const all = useConfigurations()
  const experiences = useExperiences()
  const adapter = adapters.data?.find(({ adapter_name }) => adapter_name === draft.adapter_name)
  const isChain = draft.call_chain !== undefined && draft.call_chain !== null
  const dirty = JSON.stringify(writable(draft)) !== JSON.stringify(writable(stored ?? start))
  const check = useServerCheck(writable(draft), !stored, may && dirty)
  // After a refused save also what is still empty is marked, until something changes.
  const errors = [...(save.error instanceof ApiError ? save.error.errors : []), ...check.errors]
  const edit = (next: Configuration) => {
    change(next)
    if (save.isError) save.reset()
  }
  const submit = () =>
    save.mutate(
      { body: writable(draft), isNew: !stored },
      {
        onSuccess: saved => {
          announce(`“${saved.configuration_name}” is saved.`)
          settle(saved)
          if (!stored) void navigate(configurationPage(saved.configuration_name), { replace: true })
        },
      },
    )
  useAskBeforeLeaving(dirty)
  const compositor = draft.adapter_name === 'photo_compositor'

  return (
    <Page
      title={title}
      over={
        <>
          <Link to="/configurations" className="hover:text-ink hover:underline">
            Configurations
          </Link>
          {stored && ` · ${kindOf(stored)}`}
        </>
      }
      actions={stored && <Share configuration={stored} may={may} />}
    >
      <div className="space-y-5">
        {save.isError && <ErrorNote error={save.error} title="It was not saved" />}
        {!save.isError && check.sentence && <Notice title="It could not be saved like this">{check.sentence}</Notice>}
        {isChain && (
          <Suspense
            fallback={
              <Card>
                <Loading />
              </Card>
            }
          >
            <ChainEditor
              chain={draft.call_chain ?? []}
              choices={(all.data ?? []).filter(
                one =>
                  (one.experience_id === null || one.experience_id === draft.experience_id) &&
                  one.configuration_name !== stored?.configuration_name,
              )}
              errors={errors}
              onChange={call_chain => edit({ ...draft, call_chain })}
            />
          </Suspense>
        )}
        {compositor && adapter && (
          <Suspense
            fallback={
              <Card>
                <Loading />
              </Card>
            }
          >
            <CompositorEditor
              name={stored?.configuration_name}
              version={stored?.updated_at ?? ''}
              schema={adapter.defaults_schema}
              values={defaultsOf(draft)}
              unsaved={unsavedOptions(draft, stored)}
              assets={assets.data ?? []}
              errors={errors}
              file={file}
              onFile={setFile}
              onChange={defaults => edit(withDefaults(draft, defaults))}
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
              onChange={edit}
            />
            {!isChain && (
              <Card>
                <CardTitle
                  aside={adapter && <span className="font-mono text-[13px] text-soft">{adapter.adapter_name}</span>}
                >
                  Options
                </CardTitle>
                <div className="space-y-5 p-4">
                  {!stored && (
                    <AdapterPicker
                      adapters={adapters.data ?? []}
                      chosen={draft.adapter_name ?? ''}
                      onChoose={adapter_name =>
                        edit({ ...draft, adapter_name, adapter_config: { auth: {}, defaults: {} } })
                      }
                    />
                  )}
                  {adapter && stored && <p className="text-soft">{adapter.summary}</p>}
                  {adapter && (
                    <>
                      <AuthForm
                        adapter={adapter}
                        values={authOf(draft)}
                        errors={errors}
                        needed={check.needsSecrets}
                        onChange={auth => edit(withAuth(draft, auth))}
                      />
                      <OptionsForm
                        key={adapter.adapter_name}
                        adapter={adapter}
                        values={defaultsOf(draft)}
                        assets={assets.data ?? []}
                        errors={errors}
                        without={compositor ? ['layers', 'canvas'] : []}
                        onChange={defaults => edit(withDefaults(draft, defaults))}
                      />
                    </>
                  )}
                </div>
              </Card>
            )}
          </div>
          <div className="min-w-0 xl:sticky xl:top-5">
            <TryPanel
              name={stored?.configuration_name ?? ''}
              saved={stored !== undefined}
              unsaved={unsavedOptions(draft, stored)}
              file={file}
              onFile={setFile}
            />
          </div>
        </div>
        {(dirty || !stored) && (
          <SaveBar check={check} busy={save.isPending} may={may} onSave={submit} {...(dirty ? { onDiscard } : {})} />
        )}
      </div>
    </Page>
  )
}

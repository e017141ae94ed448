// One configuration: its form or chain, a live layout for the compositor, trying it, copying it, deleting it.
import { useQueryClient } from '@tanstack/react-query'
import { Code2, FileDown, Save, Terminal, Trash2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { ApiError, at, send } from '../api/client.ts'
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
import { TryPanel } from '../configuration/try-panel.tsx'
import { download, toYaml } from '../configuration/yaml.ts'
import { AuthForm, OptionsForm } from '../form/options-form.tsx'
import { curlForConfiguration, curlForTask } from '../format/curl.ts'
import { Button } from '../parts/button.tsx'
import { Confirm, Dialog } from '../parts/dialog.tsx'
import { Code, JsonCode } from '../parts/json.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
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
  return <Editor key={name ?? title} stored={stored.data} start={start} title={title} />
}

function Editor({ stored, start, title }: { stored: Configuration | undefined; start: Configuration; title: string }) {
  const navigate = useNavigate()
  const may = useMay('write')
  const [draft, setDraft] = useState(start)
  const [file, setFile] = useState<File | null>(null)
  const save = useSaveConfiguration()
  const adapters = useAdapters()
  const assets = useAssets()
  const all = useConfigurations()
  const experiences = useExperiences()
  const adapter = adapters.data?.find(({ adapter_name }) => adapter_name === draft.adapter_name)
  const errors = save.error instanceof ApiError ? save.error.errors : []
  const isChain = draft.call_chain !== undefined && draft.call_chain !== null
  const dirty = JSON.stringify(writable(draft)) !== JSON.stringify(writable(stored ?? start))
  const submit = () =>
    save.mutate(
      { body: writable(draft), isNew: !stored },
      {
        onSuccess: saved => {
          announce(`“${saved.configuration_name}” is saved.`)
          setDraft(saved)
          if (!stored) void navigate(configurationPage(saved.configuration_name), { replace: true })
        },
      },
    )
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
      actions={
        <>
          {stored && <Share configuration={stored} may={may} />}
          <Button
            look="primary"
            icon={Save}
            busy={save.isPending}
            disabled={!may || (!dirty && Boolean(stored))}
            onClick={submit}
          >
            {stored && !dirty ? 'Saved' : 'Save'}
          </Button>
        </>
      }
    >
      <div className="space-y-5">
        {save.isError && <ErrorNote error={save.error} title="It was not saved" />}
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
                  one.experience_id === draft.experience_id && one.configuration_name !== stored?.configuration_name,
              )}
              errors={errors}
              onChange={call_chain => setDraft({ ...draft, call_chain })}
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
              file={file}
              onFile={setFile}
              onChange={defaults => setDraft(withDefaults(draft, defaults))}
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
              onChange={setDraft}
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
                        setDraft({ ...draft, adapter_name, adapter_config: { auth: {}, defaults: {} } })
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
                        onChange={auth => setDraft(withAuth(draft, auth))}
                      />
                      <OptionsForm
                        adapter={adapter}
                        values={defaultsOf(draft)}
                        assets={assets.data ?? []}
                        errors={errors}
                        without={compositor ? ['layers', 'canvas'] : []}
                        onChange={defaults => setDraft(withDefaults(draft, defaults))}
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
      </div>
    </Page>
  )
}

function Share({ configuration, may }: { configuration: Configuration; may: boolean }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [open, setOpen] = useState<'json' | 'curl' | 'delete' | null>(null)
  const name = configuration.configuration_name
  const body = writable(configuration)
  return (
    <>
      <Button icon={Code2} onClick={() => setOpen('json')}>
        JSON
      </Button>
      <Button icon={Terminal} onClick={() => setOpen('curl')}>
        curl
      </Button>
      <Button icon={FileDown} onClick={() => void toYaml([configuration]).then(yaml => download(`${name}.yaml`, yaml))}>
        YAML
      </Button>
      {may && (
        <Button icon={Trash2} look="danger" onClick={() => setOpen('delete')}>
          Delete
        </Button>
      )}
      <Dialog title="As JSON" open={open === 'json'} wide onClose={() => setOpen(null)}>
        <JsonCode label="Configuration" value={body} />
      </Dialog>
      <Dialog
        title="From a shell"
        about="KEEPSAKE_TOKEN holds one of your tokens."
        open={open === 'curl'}
        wide
        onClose={() => setOpen(null)}
      >
        <div className="space-y-4">
          <Code label="Run a task" text={curlForTask(window.location.origin, name, {})} />
          <Code label="Make this configuration" text={curlForConfiguration(window.location.origin, body)} />
        </div>
      </Dialog>
      <Confirm
        title={`Delete “${name}”?`}
        about="Tasks under way run on as they began. A chain that names it must be changed first."
        action="Delete it"
        open={open === 'delete'}
        onClose={() => setOpen(null)}
        onConfirm={async () => {
          await send('DELETE', at('configuration', name))
          announce(`“${name}” is deleted.`)
          await navigate('/configurations')
          client.removeQueries({ queryKey: ['configuration', 'one', name] })
          await client.invalidateQueries({ queryKey: ['configuration', 'all'] })
        }}
      />
    </>
  )
}

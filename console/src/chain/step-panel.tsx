// One step of a chain, set up in place: a new one, or one that is stored and may be used elsewhere too.

import { Copy, ExternalLink, Trash2, X } from 'lucide-react'
import { Link as RouterLink } from 'react-router'
import { useConfiguration } from '../api/configurations.ts'
import type { Adapter, Configuration, FieldError } from '../api/shapes.ts'
import { authOf, defaultsOf, withAuth, withDefaults } from '../configuration/draft.ts'
import type { Step } from '../configuration/kept-work.ts'
import { isNewStep } from '../configuration/step-names.ts'
import { needsOf } from '../form/needs.ts'
import { AuthForm, OptionsForm } from '../form/options-form.tsx'
import { adapterTitle } from '../form/words.ts'
import { IconButton } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { ErrorNote, Loading, Notice } from '../parts/notes.tsx'
import { configurationPage } from '../places.ts'
import { t } from '../words/t.ts'

interface Props {
  stepKey: string
  shownName: string
  /** As it is being written; undefined: it is stored and untouched. */
  step: Step | undefined
  /** The name that a new step gets if none is typed. */
  suggestion: string
  adapters: readonly Adapter[]
  /** Other chains that run it too. */
  usedBy: readonly string[]
  errors: FieldError[]
  needsSecrets: boolean
  isMarked: boolean
  onChange(step: Step): void
  onDuplicate(): void
  onRemove(): void
  onClose(): void
}

export function StepPanel(props: Props) {
  const { stepKey, step, shownName, onDuplicate, onRemove, onClose } = props
  const stored = useConfiguration(step || isNewStep(stepKey) ? undefined : stepKey)
  const current: Step | undefined = step ?? (stored.data && { configuration: stored.data.value, read: stored.data })
  return (
    <section aria-label={t('Step {name}', { name: shownName })} className="flex h-full flex-col">
      <header className="flex items-start gap-2 border-b border-line px-4 py-3">
        <div className="min-w-0 flex-1">
          <h3 dir="auto" className="truncate text-[17px]" title={shownName}>
            {shownName}
          </h3>
          {current?.configuration.adapter_name && (
            <p className="text-[13px] text-soft">{adapterTitle(current.configuration.adapter_name)}</p>
          )}
        </div>
        <IconButton icon={Copy} label={t('Duplicate {name}', { name: shownName })} onClick={onDuplicate} />
        <IconButton icon={Trash2} label={t('Remove {name}', { name: shownName })} onClick={onRemove} />
        <IconButton icon={X} label={t('Close the step')} onClick={onClose} />
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto p-4">
        {!current && stored.isPending && <Loading />}
        {!current && stored.isError && <ErrorNote error={stored.error} retry={() => void stored.refetch()} />}
        {current && <Body {...props} current={current} />}
      </div>
    </section>
  )
}

function Body({
  stepKey,
  suggestion,
  adapters,
  usedBy,
  errors,
  needsSecrets,
  isMarked,
  onChange,
  current,
}: Props & { current: Step }) {
  const { configuration } = current
  const adapter = adapters.find(({ adapter_name }) => adapter_name === configuration.adapter_name)
  const edit = (next: Configuration) => onChange({ ...current, configuration: next })
  if (configuration.call_chain || !adapter)
    return (
      <div className="space-y-3">
        <p className="text-soft">
          {configuration.call_chain ? t('This step is a chain of its own.') : t('Its adapter is not installed here.')}
        </p>
        <OpenPage name={stepKey} />
      </div>
    )
  const needs = needsOf(adapter, configuration)
  return (
    <div className="space-y-5">
      <p className="text-[14px] text-soft">{adapter.summary}</p>
      {current.read ? (
        <>
          {usedBy.length > 0 && (
            <Notice title={t('It is used elsewhere too')}>
              <span dir="auto">
                {t('A change counts there as well: {list}. Duplicate it to change it here alone.', {
                  list: usedBy.join(', '),
                })}
              </span>
            </Notice>
          )}
          {configuration.adapter_name === 'photo_compositor' && (
            <p className="text-[14px] text-soft">{t('Its layers are moved on its own page.')}</p>
          )}
          <OpenPage name={stepKey} />
        </>
      ) : (
        <TextField
          label={t('Name of the step')}
          dir="auto"
          maxLength={128}
          value={configuration.configuration_name}
          placeholder={suggestion}
          onChange={event => edit({ ...configuration, configuration_name: event.target.value })}
          error={errors.find(({ field }) => field === 'configuration_name')?.message}
          help={t('Left empty, it gets the name you see.')}
        />
      )}
      <AuthForm
        adapter={adapter}
        values={authOf(configuration)}
        errors={errors}
        needed={needsSecrets && errors.some(({ field }) => field.includes('auth.'))}
        needs={needs}
        isMarked={isMarked}
        onChange={auth => edit(withAuth(configuration, auth))}
      />
      <OptionsForm
        key={`${stepKey} ${adapter.adapter_name}`}
        adapter={adapter}
        values={defaultsOf(configuration)}
        errors={errors}
        needs={needs}
        isMarked={isMarked}
        onChange={defaults => edit(withDefaults(configuration, defaults))}
      />
    </div>
  )
}

const OpenPage = ({ name }: { name: string }) => (
  <RouterLink
    to={configurationPage(name)}
    className="inline-flex items-center gap-1.5 text-[14px] font-semibold underline underline-offset-2"
  >
    <ExternalLink aria-hidden className="size-4" /> {t('Open its own page')}
  </RouterLink>
)

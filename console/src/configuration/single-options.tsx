// What a single configuration does: the choice of its adapter, its credentials and its options, and a test of where it delivers.

import { useMutation } from '@tanstack/react-query'
import { PlugZap, Plus, Replace } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { check, checkUnsaved } from '../api/configurations.ts'
import type { Adapter, Configuration, FieldError } from '../api/shapes.ts'
import { CheckLines } from '../experience/doors-check.tsx'
import { needsOf } from '../form/needs.ts'
import { AuthForm, OptionsForm } from '../form/options-form.tsx'
import { adapterTitle } from '../form/words.ts'
import { Button, LinkButton } from '../parts/button.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { Card, CardTitle } from '../parts/page.tsx'
import { t } from '../words/t.ts'
import { authOf, defaultsOf, startOf, withAuth, withDefaults } from './draft.ts'
import { named } from './server-check.ts'

const Gallery = lazy(() => import('../chain/gallery.tsx').then(({ Gallery }) => ({ default: Gallery })))

interface Props {
  draft: Configuration
  stored: Configuration | undefined
  /** For which experience a shared one is tested: empty until one is chosen. */
  triedFor: string | undefined
  isDirty: boolean
  adapters: readonly Adapter[]
  errors: FieldError[]
  needsSecrets: boolean
  isMarked: boolean
  without: string[]
  onChange(draft: Configuration): void
}

export function SingleOptions(props: Props) {
  const { draft, stored, triedFor, isDirty, adapters, errors, needsSecrets, isMarked, without, onChange } = props
  const adapter = adapters.find(({ adapter_name }) => adapter_name === draft.adapter_name)
  const [choosing, setChoosing] = useState(!draft.adapter_name)
  const needs = adapter ? needsOf(adapter, draft) : []
  return (
    <Card>
      <CardTitle
        aside={
          stored ? (
            <LinkButton
              to={`/configurations/new?kind=chain&first=${encodeURIComponent(stored.configuration_name)}`}
              icon={Plus}
            >
              {t('Continue with another step')}
            </LinkButton>
          ) : (
            adapter && (
              <Button icon={Replace} onClick={() => setChoosing(true)}>
                {t('Another adapter')}
              </Button>
            )
          )
        }
      >
        {adapter ? adapterTitle(adapter.adapter_name) : t('What it does')}
      </CardTitle>
      <div className="space-y-5 p-4">
        {!adapter && (
          <Button look="primary" icon={Plus} onClick={() => setChoosing(true)}>
            {t('Choose what it does')}
          </Button>
        )}
        {adapter && (
          <>
            <p className="text-soft">
              {adapter.summary} <span className="font-mono text-[12.5px]">{adapter.adapter_name}</span>
            </p>
            <AuthForm
              adapter={adapter}
              values={authOf(draft)}
              errors={errors}
              needed={needsSecrets}
              needs={needs}
              isMarked={isMarked}
              onChange={auth => onChange(withAuth(draft, auth))}
            />
            <OptionsForm
              key={adapter.adapter_name}
              adapter={adapter}
              values={defaultsOf(draft)}
              errors={errors}
              needs={needs}
              isMarked={isMarked}
              without={without}
              onChange={defaults => onChange(withDefaults(draft, defaults))}
            />
            {adapter.kind === 'destination' && (
              <ConnectionTest draft={draft} stored={stored} triedFor={triedFor} isDirty={isDirty} />
            )}
          </>
        )}
      </div>
      {choosing && (
        <Suspense>
          <Gallery
            title={t('What does it do?')}
            adapters={adapters}
            configurations={[]}
            onPick={picked => {
              if ('adapter' in picked) onChange({ ...draft, ...startOf(picked.adapter) })
              setChoosing(false)
            }}
            onClose={() => setChoosing(false)}
          />
        </Suspense>
      )}
    </Card>
  )
}

/** Writes, reads and deletes a small file at the target, as the check before doors open does. */
function ConnectionTest({
  draft,
  stored,
  triedFor,
  isDirty,
}: Pick<Props, 'draft' | 'stored' | 'triedFor' | 'isDirty'>) {
  const test = useMutation({
    mutationFn: () =>
      stored && !isDirty ? check(stored.configuration_name, triedFor) : checkUnsaved(named(draft), triedFor),
  })
  // What was found is of what was there then.
  const { reset } = test
  // biome-ignore lint/correctness/useExhaustiveDependencies: of another draft it says nothing.
  useEffect(() => reset(), [draft, triedFor, reset])
  const isReady = draft.experience_id !== '' && triedFor !== ''
  return (
    <div className="space-y-2 border-t border-line pt-4">
      <div className="flex flex-wrap items-center gap-3">
        <Button icon={PlugZap} busy={test.isPending} disabled={!isReady} onClick={() => test.mutate()}>
          {t('Test the connection')}
        </Button>
        {!isReady && (
          <span className="text-[14px] text-soft">
            {t('Choose the experience first; then the connection can be tested.')}
          </span>
        )}
      </div>
      <div aria-live="polite">
        {test.isError && <ErrorNote error={test.error} />}
        {test.data && <CheckLines lines={test.data.lines} />}
      </div>
    </div>
  )
}

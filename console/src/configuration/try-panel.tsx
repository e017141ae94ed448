// "Try it": a file and what comes with a task in, before and after side by side, and what each step made.

import { useMutation } from '@tanstack/react-query'
import { Eye, Play } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { sentence } from '../api/client.ts'
import { preview } from '../api/configurations.ts'
import { useMay } from '../api/session.ts'
import type { JsonObject } from '../api/shapes.ts'
import { createTask } from '../api/tasks.ts'
import type { StepResult } from '../chain/step-face.tsx'
import { isEmpty } from '../form/field-errors.ts'
import { isObject } from '../form/json-text.ts'
import { bytes, kindName } from '../format/size.ts'
import { lasted } from '../format/time.ts'
import { BeforeAfter, useObjectUrl } from '../parts/before-after.tsx'
import { Button } from '../parts/button.tsx'
import { Dropzone } from '../parts/dropzone.tsx'
import { ErrorNote, Notice } from '../parts/notes.tsx'
import { Card, CardTitle } from '../parts/page.tsx'
import { Progress } from '../parts/progress.tsx'
import { taskPage } from '../places.ts'
import { samplePhoto } from '../start/sample-photo.ts'
import { t } from '../words/t.ts'
import { ExtrasForm } from './extras-form.tsx'
import type { SingleStep, StepNeed } from './steps.ts'

interface Props {
  name: string
  /** The service has it, as far as a try needs: options on screen go along as extras. */
  isReady: boolean
  /** For which experience a shared one runs as a task: empty until one is chosen. */
  triedFor: string | undefined
  /** Options on screen that differ from what is stored; a preview gets them as extras. */
  unsaved: JsonObject
  steps: readonly SingleStep[]
  needs: readonly StepNeed[]
  nameOf(step: SingleStep): string
  file: File | null
  onFile(file: File): void
  /** Which entry of the unfolded chain each step of the chain ends with; null: it only delivers. */
  ends: readonly (number | null)[]
  onResults(results: Record<number, StepResult>): void
  /** Saves first; the try follows by itself. */
  onSave(): void
  isDue: boolean
  onBegun(): void
}

export function TryPanel(props: Props) {
  const {
    name,
    isReady,
    triedFor,
    unsaved,
    steps,
    needs,
    nameOf,
    file,
    onFile,
    ends,
    onResults,
    onSave,
    isDue,
    onBegun,
  } = props
  const navigate = useNavigate()
  const may = useMay('tasks')
  const [extras, setExtras] = useState<JsonObject>({})
  const before = useObjectUrl(file)
  const open = needs.filter(
    ({ how, option, step }) => how === 'extras' && isMissing(extras, step, option, steps.length < 2),
  )
  const isDelivery = steps.length > 0 && steps.every(({ adapter }) => adapter?.kind === 'destination')
  const stop = useRef<AbortController | null>(null)
  useEffect(() => () => stop.current?.abort(), [])
  const look = useMutation({
    mutationFn: async (data: File) => {
      stop.current?.abort()
      const stopping = new AbortController()
      stop.current = stopping
      const { signal } = stopping
      const all = merged(unsaved, extras)
      onResults({})
      const began = performance.now()
      const result = await preview(name, data, all, signal)
      const ms = performance.now() - began
      if (ends.length > 1) void showSteps(name, data, all, ends, onResults, signal)
      else if (ends.length === 1) onResults({ 0: { blob: result, words: wordsOf(result, ms) } })
      return { result, ms }
    },
  })
  const run = useMutation({
    mutationFn: (data: File) => createTask({ configuration_name: name, experience_id: triedFor, data, extras }),
    onSuccess: task => navigate(taskPage(task.task_id)),
  })
  const result = look.data?.result ?? null
  const after = useObjectUrl(result)
  // What an earlier try said is over as soon as another begins.
  const tryOut = (data: File) => {
    run.reset()
    if (open.length === 0 && !isDelivery) look.mutate(data)
  }
  const pick = (picked: File) => {
    onFile(picked)
    look.reset()
    if (isReady) tryOut(picked)
  }
  const due = isDue && isReady && file !== null
  // biome-ignore lint/correctness/useExhaustiveDependencies: begins once, when it was saved.
  useEffect(() => {
    if (!due || !file) return
    onBegun()
    tryOut(file)
  }, [due])
  const saveAndTry = async () => {
    if (!file) onFile(await samplePhoto())
    onSave()
  }

  return (
    <Card>
      <CardTitle>{t('Try it')}</CardTitle>
      <div className="space-y-4 p-4">
        {!may && <p className="text-soft">{t('Your token may look, but not run anything.')}</p>}
        <div className="grid gap-4 sm:grid-cols-2">
          <div className="space-y-2">
            <Dropzone
              label={file ? t('Another file') : t('Drop a file here')}
              file={file}
              disabled={!may}
              onFile={pick}
            />
            {!file && (
              <Button look="quiet" disabled={!may} onClick={() => void samplePhoto().then(pick)}>
                {t('Use a sample photo')}
              </Button>
            )}
          </div>
          <ExtrasForm
            steps={steps}
            needs={needs.filter(({ how }) => how === 'extras')}
            nameOf={nameOf}
            value={extras}
            onChange={setExtras}
          />
        </div>
        {open.length > 0 && (
          <Notice title={t('A task must bring this along')}>
            <ul className="list-disc pl-5">
              {open.map(({ step, option, label }) => (
                <li key={`${step.name} ${option}`} dir="auto">
                  {steps.length < 2
                    ? `${label} (${option})`
                    : t('{label} ({option}) for the step “{name}”', { label, option, name: nameOf(step) })}
                </li>
              ))}
            </ul>
          </Notice>
        )}
        <div className="flex flex-wrap items-center gap-2">
          {isReady ? (
            <>
              <Button
                look="primary"
                icon={Eye}
                busy={look.isPending}
                disabled={!file || !may || open.length > 0 || isDelivery}
                onClick={() => file && tryOut(file)}
              >
                {t('Preview')}
              </Button>
              <Button
                icon={Play}
                busy={run.isPending}
                disabled={!file || !may || open.length > 0 || triedFor === ''}
                onClick={() => {
                  if (!file) return
                  if (look.isError) look.reset()
                  run.mutate(file)
                }}
              >
                {t('Run as a task')}
              </Button>
            </>
          ) : (
            <Button look="primary" icon={Eye} disabled={!may || steps.length === 0} onClick={() => void saveAndTry()}>
              {t('Save and try')}
            </Button>
          )}
          {isReady && Object.keys(unsaved).length > 0 && (
            <span className="text-[14px] text-soft">
              {t('The preview shows what is on screen; a task runs what is saved.')}
            </span>
          )}
        </div>
        {isDelivery && (
          <p className="text-[14px] text-soft">
            {t('It only delivers, so there is nothing to preview. A task delivers for real.')}
          </p>
        )}
        {(look.isError || run.isError) && <ErrorNote error={look.error ?? run.error} />}
        {file && (before || after) && (
          <BeforeAfter
            before={
              before
                ? {
                    src: before,
                    mime: file.type || 'image/*',
                    facts: `${kindName(file.type || 'file')} · ${bytes(file.size)}`,
                  }
                : null
            }
            after={
              after && result ? { src: after, mime: result.type, facts: wordsOf(result, look.data?.ms ?? 0) } : null
            }
            waiting={
              look.isPending ? (
                <div className="space-y-3 pt-6">
                  <p className="font-semibold">{t('Making a preview…')}</p>
                  <Progress value={null} label={t('Making a preview')} />
                </div>
              ) : null
            }
          />
        )}
      </div>
    </Card>
  )
}

const wordsOf = (blob: Blob, ms: number): string => `${kindName(blob.type)} · ${bytes(blob.size)} · ${lasted(ms)}`

/** One after the other: each is a run of its own, and the first steps are the quickest. */
async function showSteps(
  name: string,
  data: File,
  extras: JsonObject,
  ends: Props['ends'],
  onResults: Props['onResults'],
  signal: AbortSignal,
): Promise<void> {
  const results: Record<number, StepResult> = {}
  for (const [index, entry] of ends.entries()) {
    if (signal.aborted) return
    if (entry === null) results[index] = { blob: null, words: t('Delivers; a try leaves it out') }
    else {
      const began = performance.now()
      results[index] = await preview(name, data, extras, signal, entry).then(
        blob => ({ blob, words: wordsOf(blob, performance.now() - began) }),
        error => ({ blob: null, words: sentence(error) }),
      )
    }
    if (!signal.aborted) onResults({ ...results })
  }
}

function isMissing(extras: JsonObject, { name }: SingleStep, option: string, isAlone: boolean): boolean {
  const own = isObject(extras.per_configuration) ? extras.per_configuration[name] : undefined
  const given = isObject(own) ? own[option] : undefined
  return isEmpty(given) && isEmpty(extras[option]) && (isAlone || isEmpty(given))
}

/** What is typed here wins over what is on screen elsewhere. */
function merged(unsaved: JsonObject, extras: JsonObject): JsonObject {
  const [a, b] = [unsaved.per_configuration, extras.per_configuration]
  if (!isObject(a) || !isObject(b)) return { ...unsaved, ...extras }
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  const each = Object.fromEntries(
    [...names].map(name => [name, { ...(a[name] as JsonObject | undefined), ...(b[name] as JsonObject | undefined) }]),
  )
  return { ...unsaved, ...extras, per_configuration: each }
}

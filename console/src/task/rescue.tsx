// Rescue: run a failed or cancelled task again from where it stopped, with another file or other extras if that helps.

import { LifeBuoy, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { fieldMessage } from '../api/client.ts'
import { useMay } from '../api/session.ts'
import type { JsonObject, Task, TaskGroup } from '../api/shapes.ts'
import { isGroup, type Kind, useTaskAction } from '../api/tasks.ts'
import { readObject } from '../form/json-text.ts'
import { adviceFor } from '../format/advice.ts'
import { Button } from '../parts/button.tsx'
import { Dropzone } from '../parts/dropzone.tsx'
import { AreaField, SelectField } from '../parts/field.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { Card, CardTitle } from '../parts/page.tsx'
import { announce } from '../parts/toast.tsx'
import { t } from '../words/t.ts'

export function Rescue({ task, kind }: { task: Task | TaskGroup; kind: Kind }) {
  const may = useMay('tasks')
  const broken = (isGroup(task) ? task.tasks.flatMap(({ entries }) => entries) : task.entries).find(
    ({ error }) => error,
  )
  return (
    <Card className="border-ink/40 max-xl:order-first">
      <CardTitle>
        <span className="inline-flex items-center gap-2">
          <LifeBuoy aria-hidden className="size-5" /> {t('Rescue it')}
        </span>
      </CardTitle>
      <div className="space-y-4 p-4">
        {broken?.error && (
          <p>
            <span className="block font-semibold text-fail [overflow-wrap:anywhere]">
              ▸ {broken.index} <bdi>{broken.configuration}</bdi>: {broken.error.message}
            </span>
            <span className="mt-1 block">{adviceFor(broken.error.code).say}</span>
          </p>
        )}
        {may ? (
          <RescueForm task={task} kind={kind} />
        ) : (
          <p className="text-soft">{t('Your token may look at tasks, but not run them again.')}</p>
        )}
      </div>
    </Card>
  )
}

function RescueForm({ task, kind }: { task: Task | TaskGroup; kind: Kind }) {
  const group = isGroup(task)
  const names = group ? task.configuration_names : []
  const failed = group ? task.tasks.find(({ status }) => status === 'Failed')?.configuration : undefined
  const [name, setName] = useState(failed ?? names[0] ?? '')
  const before: JsonObject =
    (group ? task.tasks.find(({ configuration }) => configuration === name)?.extras : task.extras) ?? {}
  const [file, setFile] = useState<File | null>(null)
  const [text, setText] = useState(() => JSON.stringify(before, null, 2))
  const run = useTaskAction(kind, task.task_id)
  const extras = readObject(text)
  const changed = text.trim() !== '' && extras.ok && JSON.stringify(extras.value) !== JSON.stringify(before)

  const submit = () => {
    const body = new FormData()
    const part = (suffix: string) => (group ? `${name}_${suffix}` : suffix)
    if (changed && extras.ok) body.set(part('extras'), JSON.stringify(extras.value))
    if (file) body.set(part('data'), file)
    const nothing = !file && !changed
    run.mutate({ action: 'retry', ...(nothing ? {} : { body }) }, { onSuccess: () => announce(t('It runs again.')) })
  }

  return (
    <>
      <p className="text-soft">
        {t(
          'Retry goes on with this task from where it stopped; entries that succeeded are kept. Change the file or the extras first if that helps. With another file everything runs again.',
        )}
      </p>
      {group && (
        <SelectField
          label={t('Configuration to change')}
          value={name}
          onChange={event => {
            setName(event.target.value)
            setText(
              JSON.stringify(
                task.tasks.find(({ configuration }) => configuration === event.target.value)?.extras ?? {},
                null,
                2,
              ),
            )
          }}
        >
          {names.map(one => (
            <option key={one}>{one}</option>
          ))}
        </SelectField>
      )}
      <Dropzone
        label={file ? t('Replacement') : t('Replace the file')}
        hint={t('Optional: the first file is used if you leave this')}
        file={file}
        onFile={setFile}
      />
      <AreaField
        label={t('Extras')}
        rows={Math.min(10, text.split('\n').length + 1)}
        spellCheck={false}
        className="font-mono text-[13px]"
        value={text}
        onChange={event => setText(event.target.value)}
        error={extras.ok ? fieldMessage(run.error, 'extras') : extras.message}
        help={t('A JSON object, as it was sent.')}
      />
      {run.isError && <ErrorNote error={run.error} />}
      <Button look="primary" icon={RotateCw} busy={run.isPending} disabled={!extras.ok} onClick={submit}>
        {file ? t('Retry with this file') : changed ? t('Retry with these extras') : t('Retry as it is')}
      </Button>
    </>
  )
}

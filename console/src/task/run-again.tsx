// Runs a file of a task once more as a new task: with the same configuration or another; the old task stays as it is.

import { useMutation } from '@tanstack/react-query'
import { Copy } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { fieldMessage, request } from '../api/client.ts'
import { useConfigurations } from '../api/configurations.ts'
import { createTask, type Either, isGroup } from '../api/tasks.ts'
import { readObject } from '../form/json-text.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { AreaField, SelectField } from '../parts/field.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { announce } from '../parts/toast.tsx'
import { taskPage } from '../places.ts'
import { t } from '../words/t.ts'
import { filesOf, type TaskSight } from './sights.ts'

export function RunAgain({ task }: { task: Either }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button icon={Copy} onClick={() => setOpen(true)}>
        {t('Run as a new task')}
      </Button>
      {isOpen && <RunDialog task={task} onClose={() => setOpen(false)} />}
    </>
  )
}

/** The file as it is kept, under its name. */
export async function fetchFile({ src, name, mime }: TaskSight): Promise<File> {
  const blob = await (await request(src)).blob()
  return new File([blob], name, { type: mime })
}

function RunDialog({ task, onClose }: { task: Either; onClose(): void }) {
  const navigate = useNavigate()
  const configurations = useConfigurations()
  const files = filesOf(task)
  const [src, setSrc] = useState(files[0]?.src ?? '')
  const first = isGroup(task) ? task.configuration_names[0] : task.configuration
  const [name, setName] = useState(first ?? '')
  const [text, setText] = useState(() =>
    JSON.stringify((isGroup(task) ? task.tasks[0]?.extras : task.extras) ?? {}, null, 2),
  )
  const extras = readObject(text)
  const run = useMutation({
    mutationFn: async () => {
      const file = files.find(each => each.src === src)
      if (!file) throw new Error(t('This task has no file that is still kept.'))
      return createTask({
        configuration_name: name,
        data: await fetchFile(file),
        ...(extras.ok ? { extras: extras.value } : {}),
      })
    },
    onSuccess: made => {
      announce(t('A new task has begun.'))
      onClose()
      void navigate(taskPage(made.task_id))
    },
  })
  const names = (configurations.data ?? [])
    .filter(({ experience_id }) => experience_id === null || experience_id === task.experience_id)
    .map(({ configuration_name }) => configuration_name)
  return (
    <Dialog
      title={t('Run as a new task')}
      about={t(
        'Everything runs from the beginning, with its own result and its own callback. This task stays as it is.',
      )}
      open
      onClose={onClose}
    >
      <div className="space-y-4">
        <SelectField label={t('File')} value={src} onChange={event => setSrc(event.target.value)}>
          {files.map(file => (
            <option key={file.src} value={file.src}>
              {file.label}
            </option>
          ))}
        </SelectField>
        <SelectField
          label={t('Configuration')}
          value={name}
          onChange={event => setName(event.target.value)}
          error={fieldMessage(run.error, 'configuration_name')}
        >
          {[...new Set([...(name ? [name] : []), ...names])].map(each => (
            <option key={each}>{each}</option>
          ))}
        </SelectField>
        <AreaField
          label={t('Extras')}
          rows={Math.min(8, text.split('\n').length + 1)}
          spellCheck={false}
          className="font-mono text-[13px]"
          value={text}
          onChange={event => setText(event.target.value)}
          error={extras.ok ? fieldMessage(run.error, 'extras') : extras.message}
          help={t('As this task had them: the guest, overrides, texts.')}
        />
        {run.isError && <ErrorNote error={run.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('Back')}</Button>
          <Button
            look="primary"
            busy={run.isPending}
            disabled={!extras.ok || name === '' || src === ''}
            onClick={() => run.mutate()}
          >
            {t('Run it')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

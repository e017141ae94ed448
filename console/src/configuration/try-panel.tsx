// "Try it": a file and extras in, before and after side by side; what is on screen counts, saved or not.
import { useMutation } from '@tanstack/react-query'
import { Eye, Play } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { preview } from '../api/configurations.ts'
import { useMay } from '../api/session.ts'
import type { JsonObject } from '../api/shapes.ts'
import { createTask } from '../api/tasks.ts'
import { readObject } from '../form/json-text.ts'
import { bytes, kindName } from '../format/size.ts'
import { lasted } from '../format/time.ts'
import { BeforeAfter, useObjectUrl } from '../parts/before-after.tsx'
import { Button } from '../parts/button.tsx'
import { Dropzone } from '../parts/dropzone.tsx'
import { AreaField } from '../parts/field.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { Card, CardTitle } from '../parts/page.tsx'
import { Progress } from '../parts/progress.tsx'
import { taskPage } from '../places.ts'
import { samplePhoto } from '../start/sample-photo.ts'

interface Props {
  name: string
  saved: boolean
  /** Options on screen that differ from what is stored; a preview gets them as extras. */
  unsaved: JsonObject
  file: File | null
  onFile(file: File): void
}

export function TryPanel({ name, saved, unsaved, file, onFile }: Props) {
  const navigate = useNavigate()
  const may = useMay('tasks')
  const ready = saved && may
  const [text, setText] = useState('')
  const extras = readObject(text)
  const before = useObjectUrl(file)
  const look = useMutation({
    mutationFn: async (data: File) => {
      const began = performance.now()
      const result = await preview(name, data, { ...unsaved, ...(extras.ok ? extras.value : {}) })
      return { result, ms: performance.now() - began }
    },
  })
  const run = useMutation({
    mutationFn: (data: File) =>
      createTask({ configuration_name: name, data, ...(extras.ok ? { extras: extras.value } : {}) }),
    onSuccess: task => navigate(taskPage(task.task_id)),
  })
  const result = look.data?.result ?? null
  const after = useObjectUrl(result)
  const pick = (picked: File) => {
    onFile(picked)
    look.reset()
    if (saved) look.mutate(picked)
  }

  return (
    <Card>
      <CardTitle>Try it</CardTitle>
      <div className="space-y-4 p-4">
        {!may && <p className="text-soft">Your token may look, but not run anything.</p>}
        {!saved && <p className="text-soft">Save it first; then a file can be tried on it here.</p>}
        <div className="grid gap-4 sm:grid-cols-2">
          <div className="space-y-2">
            <Dropzone label={file ? 'Another file' : 'Drop a file here'} file={file} disabled={!ready} onFile={pick} />
            {!file && (
              <Button look="quiet" disabled={!ready} onClick={() => void samplePhoto().then(pick)}>
                Use a sample photo
              </Button>
            )}
          </div>
          <AreaField
            label="Extras"
            rows={3}
            spellCheck={false}
            className="font-mono text-[13px]"
            placeholder="{ }"
            value={text}
            onChange={event => setText(event.target.value)}
            error={extras.ok ? undefined : extras.message}
            help="Optional, a JSON object: overrides options, fills placeholders."
          />
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <Button
            look="primary"
            icon={Eye}
            busy={look.isPending}
            disabled={!file || !ready || !extras.ok}
            onClick={() => file && look.mutate(file)}
          >
            Preview
          </Button>
          <Button
            icon={Play}
            busy={run.isPending}
            disabled={!file || !ready || !extras.ok}
            onClick={() => file && run.mutate(file)}
          >
            Run as a task
          </Button>
          {Object.keys(unsaved).length > 0 && (
            <span className="text-[14px] text-soft">
              The preview shows what is on screen; a task runs what is saved.
            </span>
          )}
        </div>
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
              after && result
                ? {
                    src: after,
                    mime: result.type,
                    facts: `${kindName(result.type)} · ${bytes(result.size)} · ${lasted(look.data?.ms ?? 0)}`,
                  }
                : null
            }
            waiting={
              look.isPending ? (
                <div className="space-y-3 pt-6">
                  <p className="font-semibold">Making a preview…</p>
                  <Progress value={null} label="Making a preview" />
                </div>
              ) : null
            }
          />
        )}
      </div>
    </Card>
  )
}

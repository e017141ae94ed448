// First run: three ready configurations, a place to drop a photo, and the keepsake within seconds.

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ArrowRight, CheckCircle2, Sparkles } from 'lucide-react'
import { RadioGroup } from 'radix-ui'
import { useState } from 'react'
import { useTaskEvents } from '../api/live.ts'
import { useMay } from '../api/session.ts'
import type { Task } from '../api/shapes.ts'
import { createTask, isOver, outputUrl, screenUrl, useTask } from '../api/tasks.ts'
import { adviceFor } from '../format/advice.ts'
import { facts } from '../format/size.ts'
import { BeforeAfter, useObjectUrl } from '../parts/before-after.tsx'
import { Button, LinkButton } from '../parts/button.tsx'
import { Dropzone } from '../parts/dropzone.tsx'
import { ErrorNote, Notice } from '../parts/notes.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Progress } from '../parts/progress.tsx'
import { Status } from '../parts/status.tsx'
import { Lasted } from '../parts/time.tsx'
import { configurationPage, taskPage } from '../places.ts'
import { ensureSample, type SampleConfiguration, samples } from '../start/sample.ts'
import { samplePhoto } from '../start/sample-photo.ts'
import { t } from '../words/t.ts'

export function Start() {
  const client = useQueryClient()
  const mayWrite = useMay('write')
  const [chosen, setChosen] = useState(samples[0]?.name ?? '')
  const [photo, setPhoto] = useState<File | null>(null)
  const make = useMutation({
    mutationFn: async (file: File) => {
      await ensureSample()
      return createTask({ configuration_name: chosen, data: file })
    },
    onSuccess: task => {
      client.setQueryData(['task', 'one', task.task_id], task)
      void client.invalidateQueries({ queryKey: ['configuration'] })
      void client.invalidateQueries({ queryKey: ['experience'] })
    },
  })
  const go = (file: File) => {
    setPhoto(file)
    make.mutate(file)
  }
  const again = () => {
    setPhoto(null)
    make.reset()
  }

  return (
    <Page
      title={t('Make a keepsake')}
      over={t('Start here')}
      about={t(
        'Drop a photo and see what comes out. This is a real task of a real configuration, in the experience “sample”.',
      )}
    >
      {!mayWrite && (
        <Notice title={t('This token may look, but not make configurations')}>
          {t('Sign in with a token of the scope “write” or “admin” to set up the sample.')}
        </Notice>
      )}
      <div className="mt-4 grid items-start gap-6 lg:grid-cols-[minmax(280px,1fr)_minmax(0,2fr)]">
        <Choice chosen={chosen} onChoose={setChosen} locked={make.isPending || make.isSuccess} />
        <div className="min-w-0 space-y-4 max-lg:order-first">
          {make.isError && <ErrorNote error={make.error} retry={() => photo && make.mutate(photo)} />}
          {make.isIdle && (
            <>
              <Dropzone
                big
                label={t('Drop a photo here')}
                hint={t('or press to pick one, or take one with your phone')}
                accept="image/*"
                onFile={go}
              />
              <div className="flex flex-wrap items-center gap-3">
                <Button icon={Sparkles} onClick={() => void samplePhoto().then(go)}>
                  {t('Use a sample photo')}
                </Button>
                <span className="text-[14px] text-soft">{t('No photo at hand? This one is drawn for you.')}</span>
              </div>
            </>
          )}
          {photo && !make.isError && <Result photo={photo} task={make.data ?? null} again={again} />}
        </div>
      </div>
      {make.isIdle && <HowItWorks />}
    </Page>
  )
}

const steps = [
  [t('A file comes in'), t('A booth, a site or an app sends a photo or video with one request.')],
  [t('A configuration works on it'), t('One step or a chain of them: flip, frame, overlay, join, convert.')],
  [t('It is delivered'), t('To a bucket, a video site, an inbox, a folder: byte for byte.')],
  [t('Everybody knows'), t('The guest’s profile gets an activity, your webhook gets a callback.')],
]

function HowItWorks() {
  return (
    <section aria-label={t('How it works')} className="mt-10">
      <h2 className="edgeprint mb-3 font-medium!">{t('How it works')}</h2>
      <ol className="grid gap-px overflow-hidden rounded-card border border-line bg-line sm:grid-cols-2 xl:grid-cols-4">
        {steps.map(([title, text], at) => (
          <li key={title} className="bg-card p-4">
            <span className="edgeprint">▸ {at + 1}A</span>
            <p className="mt-1 font-display text-[17px] font-semibold">{title}</p>
            <p className="text-[14px] text-soft">{text}</p>
          </li>
        ))}
      </ol>
    </section>
  )
}

function Choice({ chosen, onChoose, locked }: { chosen: string; onChoose(name: string): void; locked: boolean }) {
  return (
    <RadioGroup.Root
      aria-label={t('What to make')}
      value={chosen}
      onValueChange={onChoose}
      disabled={locked}
      className="space-y-2.5"
    >
      {samples.map(sample => (
        <RadioGroup.Item
          key={sample.name}
          value={sample.name}
          className="group flex w-full items-start gap-3 rounded-card border border-line bg-card p-4 text-left shadow-card hover:border-edge disabled:opacity-80 data-[state=checked]:border-ink data-[state=checked]:outline-2 data-[state=checked]:-outline-offset-2 data-[state=checked]:outline-ink"
        >
          <SampleDrawing sample={sample} />
          <span className="min-w-0">
            <span className="block font-display text-[17px] font-semibold">{sample.title}</span>
            <span className="block text-[14px] text-soft">{sample.about}</span>
            <span className="edgeprint mt-1 block normal-case!">{sample.name}</span>
          </span>
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  )
}

function SampleDrawing({ sample }: { sample: SampleConfiguration }) {
  const framed = sample.name !== 'sample_mirror'
  const mirrored = sample.name !== 'sample_frame'
  return (
    <svg aria-hidden viewBox="0 0 48 56" className="w-12 shrink-0 shadow-print">
      <rect width="48" height="56" fill={framed ? '#fffdf8' : '#22252c'} />
      <g transform={mirrored ? 'matrix(-1 0 0 1 48 0)' : undefined}>
        <rect x={framed ? 4 : 0} y={framed ? 4 : 0} width={framed ? 40 : 48} height={framed ? 36 : 56} fill="#3f5f8a" />
        <path d={framed ? 'M4 40l14-16 9 9 6-6 11 13z' : 'M0 56l18-24 11 13 7-8 12 19z'} fill="#ffd84d" />
        <circle cx="16" cy={framed ? 14 : 16} r="4" fill="#f4f1e8" />
      </g>
      {framed && (
        <>
          <path d="M5 45h22M5 50h15" stroke="#15171c" strokeWidth="2.4" />
          <path d="M36 44h7v7h-7zM38 46h3v3h-3z" fill="#15171c" fillRule="evenodd" />
        </>
      )}
    </svg>
  )
}

function Result({ photo, task, again }: { photo: File; task: Task | null; again(): void }) {
  const before = useObjectUrl(photo)
  return (
    <Card className="p-4 sm:p-6">
      {task ? (
        <Follow task={task} before={before} photo={photo} again={again} />
      ) : (
        <BeforeAfter
          before={before ? { src: before, mime: photo.type } : null}
          after={null}
          waiting={<Working text={t('Sending the photo')} value={null} />}
        />
      )}
    </Card>
  )
}

function Follow({
  task: first,
  before,
  photo,
  again,
}: {
  task: Task
  before: string | null
  photo: File
  again(): void
}) {
  const query = useTask<Task>('task', first.task_id)
  const task = query.data ?? first
  useTaskEvents('task', task.task_id, !isOver(task))
  const last = task.entries.at(-1)
  const failed = task.entries.find(({ error }) => error)
  const done = task.entries.filter(({ status }) => status === 'Succeeded').length
  return (
    <div className="space-y-5" aria-live="polite">
      <BeforeAfter
        before={before ? { src: before, mime: photo.type, poster: inputPicture(task) } : null}
        after={
          task.status === 'Succeeded' && last?.output
            ? {
                src: outputUrl('task', task.task_id, last.index),
                mime: last.output.mime,
                poster: screenUrl('task', task.task_id, [last.index], last.output.sha256, 1280),
                facts: facts(last.output),
              }
            : null
        }
        waiting={
          failed?.error ? (
            <div className="space-y-2">
              <Status status="Failed" />
              <p className="font-semibold">{failed.error.message}</p>
              <p className="text-soft">{adviceFor(failed.error.code).say}</p>
            </div>
          ) : (
            <Working
              text={task.status === 'Waiting' ? t('Waiting for its turn') : t('Making it')}
              value={task.entries.length ? done / task.entries.length : null}
            />
          )
        }
      />
      {isOver(task) && (
        <div className="flex flex-wrap items-center gap-2 border-t border-line pt-4">
          {task.status === 'Succeeded' && (
            <p className="mb-1 flex basis-full items-center gap-2 font-semibold">
              <CheckCircle2 aria-hidden className="size-5 text-ok" />{' '}
              {t('A keepsake, made in {time}', { time: <Lasted from={task.created_at} to={task.ended_at} /> })}
            </p>
          )}
          <LinkButton to={taskPage(task.task_id)} icon={ArrowRight}>
            {t('See how it was made')}
          </LinkButton>
          <LinkButton to={configurationPage(task.configuration)}>{t('Change the configuration')}</LinkButton>
          <Button look="primary" onClick={again}>
            {t('Another photo')}
          </Button>
        </div>
      )}
    </div>
  )
}

const inputPicture = ({ task_id, input }: Task): string => screenUrl('task', task_id, ['input'], input?.sha256, 1280)

function Working({ text, value }: { text: string; value: number | null }) {
  return (
    <div className="space-y-3 pt-6">
      <p className="font-display text-[19px] font-semibold">{text}…</p>
      <Progress value={value} label={text} />
    </div>
  )
}

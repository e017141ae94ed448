// One task or task group: its graph, live, with everything that can be known about it and done with it.

import { useQuery } from '@tanstack/react-query'
import { Ban, Download, Layers, RotateCw } from 'lucide-react'
import { useEffect } from 'react'
import { Link, Navigate, useParams } from 'react-router'
import { ApiError, at, get } from '../api/client.ts'
import { useTaskEvents } from '../api/live.ts'
import { useMay } from '../api/session.ts'
import type { Task, TaskGroup } from '../api/shapes.ts'
import { type Either, isGroup, isOver, type Kind, outputUrl, titleOf, useTask, useTaskAction } from '../api/tasks.ts'
import { HandOut } from '../desk/hand-out.tsx'
import { extension } from '../format/size.ts'
import { stamped } from '../format/time.ts'
import { Button, buttonLook } from '../parts/button.tsx'
import { CopyId } from '../parts/copy.tsx'
import { Lightbox } from '../parts/lightbox.tsx'
import { ErrorNote, Loading, Notice } from '../parts/notes.tsx'
import { Card, CardTitle, Page } from '../parts/page.tsx'
import { Status, statusLook } from '../parts/status.tsx'
import { Ago, Lasted } from '../parts/time.tsx'
import { announce } from '../parts/toast.tsx'
import { ActivitiesCard } from '../task/activities-card.tsx'
import { CallbacksCard } from '../task/callbacks-card.tsx'
import { FactsCard } from '../task/facts-card.tsx'
import { Graph } from '../task/graph.tsx'
import { Neighbours } from '../task/neighbours.tsx'
import { lastOutput } from '../task/outputs.ts'
import { PastCard } from '../task/past-card.tsx'
import { PrintButton } from '../task/print-button.tsx'
import { Rescue } from '../task/rescue.tsx'
import { RunAgain } from '../task/run-again.tsx'
import { filesOf, placeOf, sightsOf } from '../task/sights.ts'
import { t } from '../words/t.ts'

export function TaskDetail({ kind }: { kind: Kind }) {
  const id = useParams().id ?? ''
  const task = useTask<Either>(kind, id)
  useTaskEvents(kind, id, task.isSuccess && !isOver(task.data))
  const other = kind === 'task' ? 'taskgroup' : 'task'
  const missing = task.error instanceof ApiError && task.error.status === 404
  // Workers and callbacks know an id, but not which of the two it is.
  const found = useQuery({
    queryKey: [other, 'one', id],
    queryFn: ({ signal }) => get<Either>(at(other, id), signal),
    enabled: missing,
  })
  if (missing && found.data) return <Navigate to={`/${other === 'task' ? 'tasks' : 'groups'}/${id}`} replace />
  if (task.isError && !task.data && !(missing && found.isPending))
    return (
      <Page title={t('Task')}>
        <ErrorNote error={task.error} retry={() => void task.refetch()} />
      </Page>
    )
  if (!task.data)
    return (
      <Page title={t('Task')}>
        <Loading rows={6} />
      </Page>
    )
  return <Detail key={id} task={task.data} kind={kind} />
}

function Detail({ task, kind }: { task: Either; kind: Kind }) {
  const over = isOver(task)
  const run = useTaskAction(kind, task.task_id)
  const back = kind === 'task' ? '/tasks' : '/groups'
  useEffect(() => {
    document.title = t('{word} · {title} · Keepsake', { word: statusLook(task.status).word, title: titleOf(task) })
  }, [task])
  return (
    <Page
      title={titleOf(task)}
      tab={`${statusLook(task.status).word} · ${titleOf(task)}`}
      over={
        <span className="flex flex-wrap items-center gap-x-4">
          <Link to={back} className="hover:text-ink hover:underline">
            {kind === 'task' ? t('Tasks') : t('Task groups')}
          </Link>
          <Neighbours kind={kind} id={task.task_id} />
        </span>
      }
      about={
        <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
          <span aria-live="polite">
            <Status status={task.status} />
          </span>
          <CopyId id={task.task_id} />
          <span>
            {stamped(task.created_at)} (<Ago at={task.created_at} />)
          </span>
          <span>
            <Lasted from={task.started_at} to={task.ended_at} />
          </span>
        </span>
      }
      actions={<Actions task={task} kind={kind} run={run} />}
    >
      {run.isError && (
        <div className="mb-4">
          <ErrorNote error={run.error} />
        </div>
      )}
      {task.warnings.length > 0 && (
        <div className="mb-4 space-y-2">
          {task.warnings.map(warning => (
            <Notice key={warning}>{warning}</Notice>
          ))}
        </div>
      )}
      {/* On small screens one column, with the rescue on top: that is what somebody came for. */}
      <Lightbox sights={sightsOf(task)}>
        <div className="flex flex-col gap-5 xl:grid xl:grid-cols-[minmax(0,1.7fr)_minmax(330px,1fr)] xl:items-start">
          <div className="flex min-w-0 flex-col gap-5 max-xl:contents">
            {isGroup(task) ? <Members group={task} /> : <Single task={task} />}
          </div>
          <div className="flex min-w-0 flex-col gap-5 max-xl:contents">
            {over && task.status !== 'Succeeded' && <Rescue task={task} kind={kind} />}
            <FactsCard task={task} />
            <CallbacksCard taskId={task.task_id} webhookUrl={task.webhook_url} over={over} />
            <ActivitiesCard taskId={task.task_id} over={over} />
            <PastCard task={task} kind={kind} />
          </div>
        </div>
      </Lightbox>
    </Page>
  )
}

/** An entry waits for the time of its next attempt. */
const isPutOff = (task: Either): boolean =>
  (isGroup(task) ? task.tasks.flatMap(({ entries }) => entries) : task.entries).some(
    ({ status, retry_at }) => status === 'Waiting' && retry_at !== null,
  )

/** What can be done with it now. Retry goes on with this task; a new task begins from the file. */
function Actions({ task, kind, run }: { task: Either; kind: Kind; run: ReturnType<typeof useTaskAction> }) {
  const may = useMay('tasks')
  const over = isOver(task)
  const last = sightsOf(task).at(-1)
  const isMade = last !== undefined && lastOutput(task) !== null
  const act = (action: 'retry' | 'cancel' | 'now', said: string) =>
    run.mutate({ action }, { onSuccess: () => announce(said) })
  return (
    <>
      {may && !over && isPutOff(task) && (
        <Button look="primary" icon={RotateCw} busy={run.isPending} onClick={() => act('now', t('It is tried now.'))}>
          {t('Try now')}
        </Button>
      )}
      {may && !over && (
        <Button
          look="danger"
          icon={Ban}
          busy={run.isPending}
          onClick={() => act('cancel', t('Cancelling was accepted.'))}
        >
          {t('Cancel')}
        </Button>
      )}
      {may && over && task.status !== 'Succeeded' && (
        <Button
          icon={RotateCw}
          busy={run.isPending}
          title={t('Goes on with this task where it stopped')}
          onClick={() => act('retry', t('It runs again.'))}
        >
          {t('Retry')}
        </Button>
      )}
      {may && over && filesOf(task).length > 0 && <RunAgain task={task} />}
      {isMade && <PrintButton sight={last} experienceId={task.experience_id} />}
      {task.status === 'Succeeded' && <DownloadButton task={task} kind={kind} />}
      {task.keepsake_id && <HandOut id={task.keepsake_id} />}
    </>
  )
}

/** What the guest gets: the last file that came out. */
function DownloadButton({ task, kind }: { task: Either; kind: Kind }) {
  const output = lastOutput(task)
  if (!output) return null
  return (
    <a
      href={outputUrl(kind, task.task_id, ...output.at)}
      download={`${titleOf(task)}.${extension(output.mime)}`}
      className={buttonLook()}
    >
      <Download aria-hidden className="size-4 shrink-0" /> {t('Download')}
    </a>
  )
}

function Single({ task }: { task: Task }) {
  return (
    <Card>
      <CardTitle>{t('From file to keepsake')}</CardTitle>
      <Graph place={placeOf(task)} entries={task.entries} input={task.input} from={t('The file sent in')} />
    </Card>
  )
}

function Members({ group }: { group: TaskGroup }) {
  return group.tasks.map(member => (
    <Card key={member.index}>
      <CardTitle aside={<Status status={member.status} small />}>
        <span className="inline-flex items-center gap-2 [overflow-wrap:anywhere]">
          <Layers aria-hidden className="size-4.5 shrink-0" /> {member.index + 1}. <bdi>{member.configuration}</bdi>
        </span>
      </CardTitle>
      <Graph place={placeOf(group, member.index)} entries={member.entries} input={member.input} from={t('Its input')} />
    </Card>
  ))
}

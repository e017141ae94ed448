// One task or task group: its graph, live, with everything that can be known about it and done with it.

import { useQuery } from '@tanstack/react-query'
import { Ban, Download, Layers, RotateCw } from 'lucide-react'
import { useEffect } from 'react'
import { Link, Navigate, useParams } from 'react-router'
import { ApiError, at, get } from '../api/client.ts'
import { useTaskEvents } from '../api/live.ts'
import { useMay } from '../api/session.ts'
import type { Entry, Task, TaskGroup } from '../api/shapes.ts'
import {
  type Either,
  inputUrl,
  isGroup,
  isOver,
  type Kind,
  outputUrl,
  thumbnailUrl,
  titleOf,
  useTask,
  useTaskAction,
} from '../api/tasks.ts'
import { extension } from '../format/size.ts'
import { Button, buttonLook } from '../parts/button.tsx'
import { CopyId } from '../parts/copy.tsx'
import { JsonCode } from '../parts/json.tsx'
import { ErrorNote, Loading, Notice } from '../parts/notes.tsx'
import { Card, CardTitle, Page } from '../parts/page.tsx'
import { Status, statusLook } from '../parts/status.tsx'
import { Ago, Lasted } from '../parts/time.tsx'
import { announce } from '../parts/toast.tsx'
import { experiencePage } from '../places.ts'
import { ActivitiesCard } from '../task/activities-card.tsx'
import { CallbacksCard } from '../task/callbacks-card.tsx'
import { Graph } from '../task/graph.tsx'
import { lastOutput } from '../task/outputs.ts'
import { Rescue } from '../task/rescue.tsx'

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
      <Page title="Task">
        <ErrorNote error={task.error} retry={() => void task.refetch()} />
      </Page>
    )
  if (!task.data)
    return (
      <Page title="Task">
        <Loading rows={6} />
      </Page>
    )
  return <Detail key={id} task={task.data} kind={kind} />
}

function Detail({ task, kind }: { task: Either; kind: Kind }) {
  const over = isOver(task)
  const run = useTaskAction(kind, task.task_id)
  const may = useMay('tasks')
  const back = kind === 'task' ? '/tasks' : '/groups'
  useEffect(() => {
    document.title = `${statusLook(task.status).word} · ${titleOf(task)} · Keepsake`
  }, [task])
  return (
    <Page
      title={titleOf(task)}
      tab={`${statusLook(task.status).word} · ${titleOf(task)}`}
      over={
        <Link to={back} className="hover:text-ink hover:underline">
          {kind === 'task' ? 'Tasks' : 'Task groups'}
        </Link>
      }
      about={
        <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
          <span aria-live="polite">
            <Status status={task.status} />
          </span>
          <CopyId id={task.task_id} />
          <span>
            made <Ago at={task.created_at} />
          </span>
          <span>
            <Lasted from={task.started_at} to={task.ended_at} />
          </span>
        </span>
      }
      actions={
        over ? (
          task.status === 'Succeeded' ? (
            <DownloadButton task={task} kind={kind} />
          ) : (
            may && (
              <Button
                icon={RotateCw}
                busy={run.isPending}
                onClick={() => run.mutate({ action: 'retry' }, { onSuccess: () => announce('It runs again.') })}
              >
                Retry
              </Button>
            )
          )
        ) : (
          may && (
            <Button
              look="danger"
              icon={Ban}
              busy={run.isPending}
              onClick={() =>
                run.mutate({ action: 'cancel' }, { onSuccess: () => announce('Cancelling was accepted.') })
              }
            >
              Cancel
            </Button>
          )
        )
      }
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
      <div className="flex flex-col gap-5 xl:grid xl:grid-cols-[minmax(0,1.7fr)_minmax(330px,1fr)] xl:items-start">
        <div className="flex min-w-0 flex-col gap-5 max-xl:contents">
          {isGroup(task) ? <Members group={task} /> : <Single task={task} />}
        </div>
        <div className="flex min-w-0 flex-col gap-5 max-xl:contents">
          {over && task.status !== 'Succeeded' && <Rescue task={task} kind={kind} />}
          <CallbacksCard taskId={task.task_id} webhookUrl={task.webhook_url} over={over} />
          <ActivitiesCard taskId={task.task_id} over={over} />
          <FactsCard task={task} />
        </div>
      </div>
    </Page>
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
      <Download aria-hidden className="size-4 shrink-0" /> Download
    </a>
  )
}

function Single({ task }: { task: Task }) {
  return (
    <Card>
      <CardTitle>From file to keepsake</CardTitle>
      <Graph
        entries={task.entries}
        input={inputUrl('task', task.task_id)}
        version={task.started_at}
        from="The file sent in"
        outputAt={entry => outputUrl('task', task.task_id, entry.index)}
        posterAt={which => thumbnailUrl('task', task.task_id, [which], task.ended_at)}
      />
    </Card>
  )
}

function Members({ group }: { group: TaskGroup }) {
  return group.tasks.map(member => (
    <Card key={member.index}>
      <CardTitle aside={<Status status={member.status} small />}>
        <span className="inline-flex items-center gap-2 [overflow-wrap:anywhere]">
          <Layers aria-hidden className="size-4.5 shrink-0" /> {member.index + 1}. {member.configuration}
        </span>
      </CardTitle>
      <Graph
        entries={member.entries}
        input={inputUrl('taskgroup', group.task_id, member.index)}
        version={group.started_at}
        from="Its input"
        outputAt={(entry: Entry) => outputUrl('taskgroup', group.task_id, member.index, entry.index)}
        posterAt={which => thumbnailUrl('taskgroup', group.task_id, [member.index, which], group.ended_at)}
      />
    </Card>
  ))
}

function FactsCard({ task }: { task: Either }) {
  const ids: [string, string][] = [
    ['Task', task.task_id],
    ...(isGroup(task) ? [] : ([['Chain', task.chain_id]] as [string, string][])),
    ['Flow', task.flow_id],
  ]
  return (
    <Card>
      <CardTitle>Facts</CardTitle>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-5 gap-y-2 p-4">
        {ids.map(([name, id]) => (
          <div key={name} className="contents">
            <dt className="text-soft">{name}</dt>
            <dd>
              <CopyId id={id} />
            </dd>
          </div>
        ))}
        <dt className="text-soft">Experience</dt>
        <dd className="[overflow-wrap:anywhere]">
          <Link className="underline underline-offset-3" to={experiencePage(task.experience_id)}>
            {task.experience_id}
          </Link>
        </dd>
        <dt className="text-soft">Waited</dt>
        <dd>
          <Lasted from={task.created_at} to={task.started_at} />
        </dd>
      </dl>
      {!isGroup(task) && Object.keys(task.extras).length > 0 && (
        <div className="p-4 pt-0">
          <JsonCode label="Extras" value={task.extras} />
        </div>
      )}
    </Card>
  )
}

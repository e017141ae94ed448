// Routes that tasks and task groups share: read, list, follow, steer.
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { ownerOf } from '#access/limits.ts'
import { listFailures } from '#db/nouns/failure-rows.ts'
import { listTasks, readTask } from '#db/tasks/task-lists.ts'
import type { WholeTask } from '#db/tasks/task-rows.ts'
import { retractTask } from '#tasks/end/retract.ts'
import { failureView, requestView } from '#tasks/show/view.ts'
import { deleteTask } from '#tasks/steer/delete-task.ts'
import { type Changes, cancelTask, retryTask } from '#tasks/steer/steer.ts'
import { tryTaskNow } from '#tasks/steer/wake.ts'
import type { UsedUploads } from '#uploads/use-uploads.ts'
import { answer } from '../contract/answers.ts'
import { Receipt } from '../contract/receipt-shapes.ts'
import { ListOf, ListQuery } from '../contract/shapes.ts'
import { Task, TaskFailure, TaskGroup, taskFilters } from '../contract/task-shapes.ts'
import type { Services } from '../route/http-services.ts'
import type { App, Context } from '../route/route.ts'
import { eventAnswers, eventHeaders } from '../wire/event-stream.ts'
import { streamTask } from './events.ts'

export interface Kind {
  isGroup: boolean
  path: '/api/task/' | '/api/taskgroup/'
  noun: 'task' | 'task group'
}

export const params = Type.Object({ task_id: Type.String({ description: 'The id of the task or task group.' }) })

export const readable = (
  { db }: Services,
  { isGroup }: Kind,
  request: FastifyRequest,
  taskId: string,
): Promise<WholeTask> => readTask(db, request.access.experiences, isGroup, taskId)

/** Runs the task again in the name of who asks for it. */
export const retryOf =
  (services: Context, { actor, access }: FastifyRequest, taskId: string) =>
  (changes: Changes, uploads?: UsedUploads): Promise<WholeTask> =>
    retryTask({ ...services, actor }, taskId, changes, ownerOf(access), uploads)

export function addTaskRoutes(app: App, services: Context, kind: Kind): void {
  const tags = [kind.isGroup ? 'Task groups' : 'Tasks']
  const View = kind.isGroup ? TaskGroup : Task
  const { path, noun } = kind
  const name = kind.isGroup ? 'TaskGroup' : 'Task'
  const closing = new AbortController()
  // Readers reconnect by themselves. Without this, open streams would delay the stop.
  app.addHook('preClose', async () => closing.abort())
  app.get(
    path,
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: `list${name}s`,
        summary: `List ${noun}s`,
        querystring: ListQuery(taskFilters),
        response: { 200: answer(`A page of ${noun}s.`, ListOf(View)) },
      },
    },
    async request => {
      const { limit, cursor, ...filters } = request.query
      const page = await listTasks(services.db, request.access.experiences, kind.isGroup, filters, { limit, cursor })
      return { items: page.items.map(requestView), next_cursor: page.next_cursor }
    },
  )
  app.get(
    `${path}:task_id/`,
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: `read${name}`,
        summary: `Read a ${noun}`,
        params,
        response: { 200: answer(`The ${noun}.`, View) },
      },
    },
    async request => requestView(await readable(services, kind, request, request.params.task_id)),
  )
  app.delete(
    `${path}:task_id/`,
    {
      config: { scope: 'write', problems: ['wrong_state'] },
      schema: {
        tags,
        summary: `Delete a ${noun}`,
        operationId: kind.isGroup ? 'deleteTaskGroup' : 'deleteTask',
        description:
          'Its record, its callbacks and the files that are kept here; 409 while it has not ended or a callback is `Waiting`. What was delivered stays where it is, and so do activities.',
        params,
        response: { 204: Type.Null({ description: 'Deleted.' }) },
      },
    },
    async (request, reply) => {
      await deleteTask(
        { ...services, actor: request.actor },
        await readable(services, kind, request, request.params.task_id),
      )
      return reply.code(204).send(null)
    },
  )
  app.post(
    `${path}:task_id/cancel/`,
    {
      config: { scope: 'tasks', problems: ['wrong_state'] },
      schema: {
        tags,
        operationId: `cancel${name}`,
        summary: `Cancel a ${noun}`,
        description: 'What runs is stopped within a second; the callback follows.',
        params,
        response: { 202: answer(`The ${noun}, cancelled or about to be.`, View) },
      },
    },
    async (request, reply) => {
      const { task_id } = await readable(services, kind, request, request.params.task_id)
      return reply.code(202).send(requestView(await cancelTask({ ...services, actor: request.actor }, task_id)))
    },
  )
  app.post(
    `${path}:task_id/now/`,
    {
      config: { scope: 'tasks', problems: ['wrong_state'] },
      schema: {
        tags,
        operationId: `try${name}Now`,
        summary: `Try a ${noun} now that waits for its next attempt`,
        description: 'Its entries with a `retry_at` to come are due at once. The attempts that were made still count.',
        params,
        response: { 202: answer(`The ${noun}, due now.`, View) },
      },
    },
    async (request, reply) => {
      const { task_id } = await readable(services, kind, request, request.params.task_id)
      return reply.code(202).send(requestView(await tryTaskNow({ ...services, actor: request.actor }, task_id)))
    },
  )
  app.get(
    `${path}:task_id/failures/`,
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: `list${name}Failures`,
        summary: `List what went wrong in a ${noun}`,
        description:
          'Attempt by attempt, newest first, also of earlier runs: a retry or a cancel clears the errors of entries, not these. The newest hundred are kept, and there is one page of them.',
        params,
        response: { 200: answer('What went wrong.', ListOf(TaskFailure)) },
      },
    },
    async request => {
      const task = await readable(services, kind, request, request.params.task_id)
      const failures = await listFailures(services.db, task.task_id)
      return { items: failures.map(failure => failureView(task, failure)), next_cursor: null }
    },
  )
  app.post(
    `${path}:task_id/retract/`,
    {
      config: { scope: 'tasks', problems: ['wrong_state'] },
      schema: {
        tags,
        operationId: `retract${name}`,
        summary: `Take back what a ${noun} delivered`,
        description:
          'Where the destination allows it; the files that are kept here go as well. The answer is a receipt.',
        params,
        response: { 200: answer('What was taken back, and what could not be.', Receipt) },
      },
    },
    async request => {
      const task = await readable(services, kind, request, request.params.task_id)
      return retractTask({ ...services, actor: request.actor }, task)
    },
  )
  app.get(
    `${path}:task_id/events/`,
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: `follow${name}`,
        summary: `Follow a ${noun}`,
        description:
          'Server-sent events: `task` and `entry` at every change, `end` when it has ended. A `Last-Event-ID` goes on from there.',
        headers: eventHeaders,
        params,
        response: eventAnswers,
      },
    },
    async (request, reply) =>
      streamTask(
        services,
        request,
        reply,
        await readable(services, kind, request, request.params.task_id),
        closing.signal,
      ),
  )
}

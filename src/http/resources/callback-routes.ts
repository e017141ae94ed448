// /api/callback/: callbacks with their attempts.
import Type from 'typebox'
import { type CallbackWithAttempts, listCallbacks, readCallback } from '#db/nouns/callbacks-read.ts'
import { answer } from '../contract/answers.ts'
import { Callback, callbackFilters } from '../contract/callback-shapes.ts'
import { ListOf, ListQuery } from '../contract/shapes.ts'
import type { Resource } from '../route/route.ts'

const tags = ['Callbacks']

export const callbacks: Resource = (app, { db }) => {
  app.get(
    '/api/callback/',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'listCallbacks',
        summary: 'List callbacks',
        querystring: ListQuery(callbackFilters),
        response: { 200: answer('A page of callbacks.', ListOf(Callback)) },
      },
    },
    async request => {
      const { limit, cursor, ...filters } = request.query
      const page = await listCallbacks(db, request.access.experiences, filters, { limit, cursor })
      return { items: page.items.map(shownCallback), next_cursor: page.next_cursor }
    },
  )
  app.get(
    '/api/callback/:callback_id/',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'readCallback',
        summary: 'Read a callback',
        params: Type.Object({ callback_id: Type.String({ description: 'The id of the callback.' }) }),
        response: { 200: answer('The callback.', Callback) },
      },
    },
    async request => shownCallback(await readCallback(db, request.access.experiences, request.params.callback_id)),
  )
}

export const shownCallback = (row: CallbackWithAttempts): Callback => ({
  callback_id: row.callback_id,
  task_id: row.task_id,
  configurations: row.configurations,
  guest: row.guest,
  url: row.url,
  status: row.status,
  body: JSON.parse(row.body) as Callback['body'],
  attempts: row.attempts.map(({ at, status_code, error, duration_ms }) => ({
    at: at.toISOString(),
    status_code,
    error,
    duration_ms,
  })),
  next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

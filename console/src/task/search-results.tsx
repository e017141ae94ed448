// What a search found: guests with everything made for them, tasks and groups by id, file or configuration.

import { UserRound } from 'lucide-react'
import { Link } from 'react-router'
import { useSearch } from '../api/search.ts'
import { type Either, isGroup, type Kind } from '../api/tasks.ts'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { Card, CardTitle } from '../parts/page.tsx'
import { nameOf } from '../people/name.ts'
import { t, tn } from '../words/t.ts'
import { ROW_HEIGHT, TaskRow } from './row.tsx'

const SHOWN = 40

const mentions = (task: Either, text: string): boolean =>
  JSON.stringify([
    task.task_id,
    isGroup(task) ? task.configuration_names : [task.configuration, task.extras, task.input],
  ])
    .toLowerCase()
    .includes(text.toLowerCase())

export function SearchResults({ text, loaded, kind }: { text: string; loaded: Either[]; kind: Kind }) {
  const found = useSearch(text)
  const here = loaded.filter(task => mentions(task, text))
  const { tasks = [], groups = [], guests = [], configurations = [], more = false } = found.data ?? {}
  const rows = new Map<string, { task: Either; kind: Kind }>()
  const put = (one: Either, of: Kind) => rows.set(one.task_id, { task: one, kind: of })
  for (const one of tasks) put(one, 'task')
  for (const one of groups) put(one, 'taskgroup')
  for (const guest of guests) {
    for (const one of guest.tasks) put(one, 'task')
    for (const one of guest.groups) put(one, 'taskgroup')
  }
  for (const one of here) put(one, kind)
  const all = [...rows.values()].toSorted((a, b) => (a.task.created_at < b.task.created_at ? 1 : -1))
  const nothing = found.isSuccess && guests.length === 0 && all.length === 0 && configurations.length === 0
  return (
    <Card className="mb-4 overflow-clip">
      <CardTitle>{t('Found')}</CardTitle>
      <div aria-live="polite">
        {found.isPending && <Loading what={t('Searching')} rows={1} />}
        {found.isError && <ErrorNote error={found.error} />}
        {nothing && (
          <p className="px-4 py-5 text-soft">
            {t(
              'Nobody and nothing goes by that. Guests are found by any part of what is known of them, tasks by the start of their id or of their file’s name.',
            )}
          </p>
        )}
        {guests.map(({ profile, tasks: made, groups: madeGroups }) => (
          <div key={profile.profile_id} className="flex flex-wrap items-center gap-3 border-b border-line px-4 py-3">
            <UserRound aria-hidden className="size-5 text-soft" />
            <Link
              to={`/profiles/${profile.profile_id}`}
              dir="auto"
              className="font-semibold underline underline-offset-3"
            >
              {nameOf(profile)}
            </Link>
            <span className="text-soft">{inWords(made.length + madeGroups.length)}</span>
          </div>
        ))}
        {configurations.map(({ configuration_name }) => (
          <div key={configuration_name} className="flex flex-wrap items-center gap-3 border-b border-line px-4 py-3">
            <Link
              to={`/tasks?${new URLSearchParams({ configuration: configuration_name })}`}
              dir="auto"
              className="font-semibold underline underline-offset-3 [overflow-wrap:anywhere]"
            >
              {configuration_name}
            </Link>
            <span className="text-soft">{t('all tasks of this configuration')}</span>
          </div>
        ))}
        {all.slice(0, SHOWN).map(row => (
          <div key={row.task.task_id} style={{ height: ROW_HEIGHT }}>
            <TaskRow task={row.task} kind={row.kind} live={false} />
          </div>
        ))}
        {(more || all.length > SHOWN) && (
          <p className="px-4 py-3 text-soft">{t('There are more of them: give more characters.')}</p>
        )}
      </div>
    </Card>
  )
}

const inWords = (tasks: number): string =>
  tasks === 0 ? t('nothing made yet') : tn(tasks, '1 task', '{count} tasks', { count: tasks })

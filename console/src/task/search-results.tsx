// What a search found: a task or group by its id, guests with everything made for them, and matches in the loaded list.
import { UserRound } from 'lucide-react'
import { Link } from 'react-router'
import { useSearch } from '../api/search.ts'
import { type Either, isGroup, type Kind } from '../api/tasks.ts'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { Card, CardTitle } from '../parts/page.tsx'
import { ROW_HEIGHT, TaskRow } from './row.tsx'

const SHOWN = 20

const mentions = (task: Either, text: string): boolean =>
  JSON.stringify([task.task_id, isGroup(task) ? task.configuration_names : [task.configuration, task.extras]])
    .toLowerCase()
    .includes(text.toLowerCase())

export function SearchResults({ text, loaded, kind }: { text: string; loaded: Either[]; kind: Kind }) {
  const found = useSearch(text)
  const here = loaded.filter(task => mentions(task, text))
  const { task, group, guests = [] } = found.data ?? {}
  const nothing = found.isSuccess && !task && !group && guests.length === 0 && here.length === 0
  const rows = new Map<string, { task: Either; kind: Kind }>()
  const put = (one: Either | null | undefined, of: Kind) => one && rows.set(one.task_id, { task: one, kind: of })
  put(task, 'task')
  put(group, 'taskgroup')
  for (const guest of guests) {
    for (const one of guest.tasks) put(one, 'task')
    for (const one of guest.groups) put(one, 'taskgroup')
  }
  for (const one of here) put(one, kind)
  const all = [...rows.values()].toSorted((a, b) => (a.task.created_at < b.task.created_at ? 1 : -1))
  return (
    <Card className="mb-4 overflow-clip">
      <CardTitle>Found</CardTitle>
      <div aria-live="polite">
        {found.isPending && <Loading what="Searching" rows={1} />}
        {found.isError && <ErrorNote error={found.error} />}
        {nothing && (
          <p className="px-4 py-5 text-soft">
            Nobody and nothing goes by that. Ids, emails, QR codes and RFIDs must be given whole.
          </p>
        )}
        {guests.map(({ profile, tasks, groups }) => (
          <div key={profile.profile_id} className="flex flex-wrap items-center gap-3 border-b border-line px-4 py-3">
            <UserRound aria-hidden className="size-5 text-soft" />
            <Link to={`/profiles/${profile.profile_id}`} className="font-semibold underline underline-offset-3">
              {[...profile.email, ...profile.qr_code, ...profile.rfid][0] ?? profile.profile_id}
            </Link>
            <span className="text-soft">{inWords(tasks.length + groups.length)}</span>
          </div>
        ))}
        {all.slice(0, SHOWN).map(row => (
          <div key={row.task.task_id} style={{ height: ROW_HEIGHT }}>
            <TaskRow task={row.task} kind={row.kind} live={false} />
          </div>
        ))}
        {all.length > SHOWN && <p className="px-4 py-3 text-soft">and {all.length - SHOWN} more</p>}
      </div>
    </Card>
  )
}

const inWords = (tasks: number): string =>
  tasks === 0 ? 'nothing made yet' : tasks === 1 ? '1 task' : `${tasks} tasks`

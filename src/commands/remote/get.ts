// keepsake get and search: lists as tables, one thing with all its fields, and the files of a task.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Keepsake, type List, saveTo, type Task } from '#client/node.ts'
import { BadCommand } from '#kit/cannot-start.ts'
import type { Given } from '../commands.ts'
import { safe, size, type Terminal, table } from '../terminal.ts'
import { connect } from './named-server.ts'
import { extensionOf, plainName } from './run-remote.ts'

type Row = Record<string, unknown>
type Cell = string | number | null | undefined

interface Kind {
  list(keepsake: Keepsake, filters: object): List<object>
  one?(keepsake: Keepsake, name: string): Promise<object>
  /** What a row is known by. */
  key: string
  columns: Record<string, (row: Row) => Cell>
}

const field =
  (name: string) =>
  (row: Row): Cell => {
    const value = row[name]
    return Array.isArray(value)
      ? value.join(', ')
      : typeof value === 'object' && value !== null
        ? JSON.stringify(value)
        : (value as Cell)
  }
const columns = (...names: string[]): Kind['columns'] => Object.fromEntries(names.map(name => [name, field(name)]))

const kinds: Record<string, Kind> = {
  tasks: {
    list: (k, f) => k.tasks.list(f),
    one: (k, id) => k.tasks.get(id),
    key: 'task_id',
    columns: columns('task_id', 'status', 'configuration', 'experience_id', 'created_at'),
  },
  groups: {
    list: (k, f) => k.groups.list(f),
    one: (k, id) => k.groups.get(id),
    key: 'task_id',
    columns: columns('task_id', 'status', 'configuration_names', 'experience_id', 'created_at'),
  },
  configurations: {
    list: (k, f) => k.configurations.list(f),
    one: (k, name) => k.configurations.get(name),
    key: 'configuration_name',
    columns: {
      ...columns('configuration_name', 'experience_id'),
      does: row =>
        (row.adapter_name as string) ?? (row.call_chain as [string][] | undefined)?.map(([name]) => name).join(' → '),
      ...columns('updated_at'),
    },
  },
  assets: {
    list: (k, f) => k.assets.list(f),
    one: (k, name) => k.assets.get(name),
    key: 'name',
    columns: {
      ...columns('name', 'experience_id', 'mime'),
      size: row => size(Number(row.bytes)),
      ...columns('updated_at'),
    },
  },
  profiles: {
    list: (k, f) => k.profiles.list(f),
    one: (k, id) => k.profiles.get(id),
    key: 'profile_id',
    columns: columns('profile_id', 'email', 'rfid', 'qr_code', 'experience_id'),
  },
  activities: {
    list: (k, f) => k.activities.list(f),
    one: (k, id) => k.activities.get(id),
    key: 'activity_id',
    columns: columns('activity_id', 'activity_type', 'owner_id', 'experience_id', 'created_at'),
  },
  callbacks: {
    list: (k, f) => k.callbacks.list(f),
    one: (k, id) => k.callbacks.get(id),
    key: 'callback_id',
    columns: {
      ...columns('callback_id', 'status', 'task_id', 'url'),
      attempts: row => (row.attempts as unknown[] | undefined)?.length,
    },
  },
  experiences: {
    list: (k, f) => k.experiences.list(f),
    one: (k, id) => k.experiences.get(id),
    key: 'experience_id',
    columns: columns('experience_id', 'name'),
  },
  tokens: {
    list: (k, f) => k.tokens.list(f),
    one: (k, id) => k.tokens.get(id),
    key: 'token_id',
    columns: columns('token_id', 'name', 'scopes', 'experiences', 'expires_at'),
  },
  adapters: {
    list: (k, f) => k.adapters.list(f),
    one: (k, name) => k.adapters.get(name),
    key: 'adapter_name',
    columns: columns('adapter_name', 'kind', 'summary'),
  },
  audit: {
    list: (k, f) => k.audit.list(f as Record<string, string>),
    key: 'audit_id',
    columns: columns('created_at', 'actor', 'action', 'object', 'address'),
  },
}

/** `task` means `tasks`, `activity` means `activities`. */
const kindOf = (word: string): string | undefined =>
  [word, `${word}s`, word.replace(/y$/, 'ies'), word === 'taskgroup' || word === 'taskgroups' ? 'groups' : ''].find(
    name => Object.hasOwn(kinds, name),
  )

export async function get(
  { values, positionals: [word, name] }: Given<'get'>,
  terminal: Terminal,
  here: (path: string) => string,
): Promise<number> {
  const kind = kinds[kindOf(word ?? '') ?? '']
  if (!kind) throw new BadCommand(`get needs one of ${Object.keys(kinds).join(', ')}`)
  const keepsake = connect(values.url)
  if (name === undefined) await list(keepsake, kind, values, terminal)
  else if (!kind.one) throw new BadCommand(`${word} can only be listed`)
  else {
    const found = await kind.one(keepsake, name)
    if (values.json) terminal.print(JSON.stringify(found, null, 2))
    else for (const line of described(found)) terminal.print(line)
    if (values.out !== undefined) await saveFiles(keepsake, found as Task, here(values.out), terminal)
  }
  return 0
}

async function list(keepsake: Keepsake, kind: Kind, values: Given<'get'>['values'], terminal: Terminal): Promise<void> {
  const most = values.limit === undefined ? 50 : Number(values.limit)
  if (!Number.isInteger(most) || most < 1 || most > 100_000)
    throw new BadCommand('--limit must be a whole number from 1 to 100000')
  const filters = Object.fromEntries(Object.entries(filtersOf(values)).filter(([, value]) => value !== undefined))
  const rows: object[] = []
  for await (const row of kind.list(keepsake, { ...filters, limit: Math.min(most, 500) })) {
    rows.push(row)
    if (rows.length === most) break
  }
  if (values.names) for (const row of rows) terminal.print(safe(String((row as Row)[kind.key])))
  else if (values.json) terminal.print(JSON.stringify(rows, null, 2))
  else if (rows.length === 0) terminal.say('There are none.')
  else {
    const heads = Object.keys(kind.columns)
    for (const line of table(
      heads,
      rows.map(row => Object.values(kind.columns).map(cell => cell(row as Row))),
    ))
      terminal.print(line)
  }
}

/** Options of the command line by the names that lists take. */
export const filtersOf = (values: Partial<Record<string, unknown>>): Record<string, string | undefined> => ({
  status: values.status as string | undefined,
  configuration: values.configuration as string | undefined,
  experience_id: values.experience as string | undefined,
  error_code: values['error-code'] as string | undefined,
  created_after: values['created-after'] as string | undefined,
  created_before: values['created-before'] as string | undefined,
})

function described(thing: object, indent = ''): string[] {
  return Object.entries(thing).flatMap(([name, value]): string[] => {
    if (Array.isArray(value) && value.some(item => typeof item === 'object' && item !== null && !Array.isArray(item)))
      return [
        `${indent}${name}:`,
        ...value.flatMap((item, at) => [`${indent}  ${at}:`, ...described(item, `${indent}    `)]),
      ]
    if (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0)
      return [`${indent}${name}:`, ...described(value, `${indent}  `)]
    return [`${indent}${safe(name)}: ${safe(typeof value === 'string' ? value : JSON.stringify(value))}`]
  })
}

async function saveFiles(keepsake: Keepsake, task: Task, folder: string, terminal: Terminal): Promise<void> {
  if (!Array.isArray(task.entries))
    throw new BadCommand('--out saves the files of a task: keepsake get task ID --out FOLDER')
  await mkdir(folder, { recursive: true })
  for (const { index, configuration, output } of task.entries) {
    if (!output) continue
    const path = join(folder, `${task.task_id} ${index} ${plainName(configuration)}${extensionOf(output.mime)}`)
    await saveTo(path, keepsake.tasks.output(task, index))
    terminal.say(path)
  }
}

export async function search({ values, positionals }: Given<'search'>, terminal: Terminal): Promise<number> {
  const words = positionals.join(' ')
  if (words.length < 2) throw new BadCommand('search needs at least two characters')
  const found = await connect(values.url).search(words)
  if (values.json) {
    terminal.print(JSON.stringify(found, null, 2))
    return 0
  }
  let count = 0
  for (const [name, { items, more }] of Object.entries(found)) {
    const kind = kinds[name === 'taskgroups' ? 'groups' : name]
    if (!kind || items.length === 0) continue
    count += items.length
    terminal.print(`${name}${more ? ' (the first 20)' : ''}`)
    for (const line of table(
      Object.keys(kind.columns),
      (items as Row[]).map(row => Object.values(kind.columns).map(cell => cell(row))),
    ))
      terminal.print(`  ${line}`)
  }
  if (count === 0) terminal.say('Nothing was found.')
  return 0
}

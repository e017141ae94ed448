// keepsake get and search: lists as tables, one thing with all its fields, and the files of a task.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Keepsake, type List, saveTo, type Task } from '#client/node.ts'
import { BadCommand } from '#kit/cannot-start.ts'
import { kinds as kindNames } from '../command-options.ts'
import type { Given } from '../commands.ts'
import { safe, size, type Terminal, table } from '../terminal.ts'
import { connect } from './named-server.ts'
import { extensionOf, plainName } from './run-remote.ts'

type Row = Record<string, unknown>
type Cell = string | number | null | undefined
type KindName = (typeof kindNames)[number]

interface Kind {
  /** What a row is known by. */
  key: string
  columns: Record<string, (row: Row) => Cell>
}

/** The client has each kind by the same name. */
interface Resource {
  list(filters: object): List<object>
  get?(name: string): Promise<object>
}

/** The field of a row; `actor.name` is that of an object inside it. */
const field =
  (path: string) =>
  (row: Row): Cell => {
    const value = path.split('.').reduce<unknown>((inside, name) => (inside as Row | null)?.[name], row)
    return Array.isArray(value) ? value.join(', ') || null : (value as Cell)
  }
const columns = (...names: string[]): Kind['columns'] => Object.fromEntries(names.map(name => [name, field(name)]))
/** A kind that is known by its first column. */
const known = (key: string, ...names: string[]): Kind => ({ key, columns: columns(key, ...names) })

const kinds: Record<KindName, Kind> = {
  tasks: known('task_id', 'status', 'configuration', 'experience_id', 'created_at'),
  groups: known('task_id', 'status', 'configuration_names', 'experience_id', 'created_at'),
  configurations: {
    key: 'configuration_name',
    columns: {
      ...columns('configuration_name', 'experience_id'),
      does: row =>
        (row.adapter_name as string) ?? (row.call_chain as [string][] | undefined)?.map(([name]) => name).join(' → '),
      ...columns('updated_at'),
    },
  },
  assets: {
    key: 'name',
    columns: {
      ...columns('name', 'experience_id', 'mime'),
      size: row => size(Number(row.bytes)),
      ...columns('updated_at'),
    },
  },
  profiles: known('profile_id', 'email', 'rfid', 'qr_code', 'experience_id'),
  activities: known('activity_id', 'activity_type', 'owner_id', 'experience_id', 'created_at'),
  callbacks: {
    key: 'callback_id',
    columns: {
      ...columns('callback_id', 'status', 'task_id', 'url'),
      attempts: row => (row.attempts as unknown[] | undefined)?.length,
    },
  },
  experiences: known('experience_id', 'name'),
  tokens: known('token_id', 'name', 'scopes', 'experiences', 'expires_at'),
  adapters: known('adapter_name', 'kind', 'summary'),
  audit: {
    key: 'event_id',
    columns: {
      ...columns('created_at'),
      actor: field('actor.name'),
      address: field('actor.address'),
      ...columns('action', 'object', 'object_id'),
    },
  },
}

/** `task` means `tasks`, `activity` means `activities`. */
const kindOf = (word: string): KindName | undefined =>
  [word, `${word}s`, word.replace(/y$/, 'ies'), word === 'taskgroup' || word === 'taskgroups' ? 'groups' : ''].find(
    (name): name is KindName => Object.hasOwn(kinds, name),
  )

export async function get(
  { values, positionals: [word, name] }: Given<'get'>,
  terminal: Terminal,
  here: (path: string) => string,
): Promise<number> {
  const kind = kindOf(word ?? '')
  if (!kind) throw new BadCommand(`get needs one of ${kindNames.join(', ')}`)
  const keepsake = connect(values.url)
  const resource = keepsake[kind] as Resource
  const print = printerOf(kinds[kind], values, terminal)
  if (name === undefined) {
    const rows = await listed(resource, kind, values)
    if (values.names || values.json || rows.length > 0) print(rows)
    else terminal.say('There are none.')
    return 0
  }
  if (!resource.get) throw new BadCommand(`${word} can only be listed`)
  const found = await resource.get(name)
  if (values.names || values.json) print(found)
  else for (const line of described(found)) terminal.print(line)
  if (values.out !== undefined) await saveFiles(keepsake, found as Task, here(values.out), terminal)
  return 0
}

/** Prints one thing or several: only what they are known by, as JSON, or as a table. */
const printerOf =
  ({ key, columns }: Kind, { names, json }: Given<'get'>['values'], terminal: Terminal) =>
  (found: object | object[]): void => {
    const rows = [found].flat() as Row[]
    if (names) for (const row of rows) terminal.print(safe(String(row[key])))
    else if (json) terminal.print(JSON.stringify(found, null, 2))
    else for (const line of tableOf(columns, rows)) terminal.print(line)
  }

const tableOf = (columns: Kind['columns'], rows: Row[]): string[] =>
  table(
    Object.keys(columns),
    rows.map(row => Object.values(columns).map(cell => cell(row))),
  )

function listed(resource: Resource, kind: KindName, values: Given<'get'>['values']): Promise<object[]> {
  const most = values.limit === undefined ? 50 : Number(values.limit)
  if (!Number.isInteger(most) || most < 1 || most > 100_000)
    throw new BadCommand('--limit must be a whole number from 1 to 100000')
  const filters = Object.fromEntries(Object.entries(filtersOf(values)).filter(([, value]) => value !== undefined))
  // Adapters come all at once, and their list takes no size of a page.
  return resource.list(kind === 'adapters' ? filters : { ...filters, limit: Math.min(most, 500) }).take(most)
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
        `${indent}${safe(name)}:`,
        ...value.flatMap((item, at) => [`${indent}  ${at}:`, ...described(item, `${indent}    `)]),
      ]
    if (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0)
      return [`${indent}${safe(name)}:`, ...described(value, `${indent}  `)]
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
    const kind = kindOf(name)
    if (!kind || items.length === 0) continue
    count += items.length
    terminal.print(`${name}${more ? ' (the first 20)' : ''}`)
    for (const line of tableOf(kinds[kind].columns, items as unknown as Row[])) terminal.print(`  ${line}`)
  }
  if (count === 0) terminal.say('Nothing was found.')
  return 0
}

// Many finished files at once, as a ZIP archive: of tasks, of task groups, or all of one guest.
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import Type from 'typebox'
import type { StoredFile } from '#db/tables.ts'
import { listTasks, listTasksById, type TaskFilters } from '#db/tasks/task-lists.ts'
import type { WholeTask } from '#db/tasks/task-rows.ts'
import type { Visible } from '#db/visible.ts'
import { badField, Problem } from '#kit/errors.ts'
import { isId } from '#kit/ids.ts'
import { readProfile } from '#profiles/profiles.ts'
import { isThrough } from '#tasks/entry/loaded.ts'
import { Input } from '../contract/shapes.ts'
import { taskFilters } from '../contract/task-shapes.ts'
import type { Context, Resource } from '../route/route.ts'
import { type ZipFile, zipLength, zipStream } from '../wire/zip-stream.ts'

const MOST_FILES = 500
/** That a filter may find, with those that have no file. */
const MOST_TASKS = 2_000
const MOST_BYTES = 16 * 1024 ** 3
/** As many as fit into an address. */
const MOST_IDS = 300
const ID_LENGTH = 37
const PAGE = 100

const Query = Input({
  ...taskFilters,
  ids: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MOST_IDS * ID_LENGTH,
      description: `Those of these ids, with commas between them, at most ${MOST_IDS}; then no other filter is taken.`,
    }),
  ),
})

const response = {
  200: {
    description: 'A ZIP archive.',
    headers: {
      'Content-Disposition': Type.String({ description: 'The name to save it under.' }),
      'Content-Length': Type.Integer({ description: 'How long it is.' }),
    },
    content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } },
  },
}
const MORE = `The finished files as they are: of a task the last one, of a group that of each configuration. At most ${MOST_FILES} files, ${MOST_TASKS} tasks and 16 GiB; what is past its retention is left out.`

export const zips: Resource = (app, services) => {
  for (const isGroup of [false, true])
    app.get(
      `/api/${isGroup ? 'taskgroup' : 'task'}/zip/`,
      {
        config: { scope: 'read', problems: ['too_large', 'not_found'] },
        schema: {
          tags: [isGroup ? 'Task groups' : 'Tasks'],
          operationId: isGroup ? 'downloadTaskGroupsZip' : 'downloadTasksZip',
          summary: `Download the files of ${isGroup ? 'task groups' : 'tasks'} as a ZIP archive`,
          description: MORE,
          querystring: Query,
          response,
        },
      },
      async (request, reply) => {
        const { ids, ...filters } = request.query
        const { experiences } = request.access
        const tasks =
          ids === undefined
            ? await listAll(services, experiences, isGroup, filters)
            : await listTasksById(services.db, experiences, isGroup, idsOf(ids, filters))
        return sendZip(services, reply, filesOf(services, tasks), 'keepsakes')
      },
    )
  app.get(
    '/api/profile/:profile_id/zip/',
    {
      config: { scope: 'read', problems: ['too_large', 'not_found'] },
      schema: {
        tags: ['Profiles'],
        operationId: 'downloadProfileZip',
        summary: 'Download all finished files of a guest as a ZIP archive',
        description: MORE,
        params: Type.Object({ profile_id: Type.String({ description: 'The id of the profile.' }) }),
        response,
      },
    },
    async (request, reply) => {
      const { experiences } = request.access
      const { profile_id } = await readProfile(services.db, experiences, request.params.profile_id)
      const tasks = await Promise.all(
        [false, true].map(isGroup => listAll(services, experiences, isGroup, { profile_id })),
      )
      return sendZip(services, reply, filesOf(services, tasks.flat()), 'guest')
    },
  )
}

function idsOf(text: string, filters: object): string[] {
  if (Object.keys(filters).length > 0) throw badField('ids', 'give either ids or other filters')
  const ids = text.split(',')
  const wrong = ids.find(id => !isId(id))
  if (wrong !== undefined) throw badField('ids', `"${wrong.slice(0, 40)}" is not an id`)
  return [...new Set(ids.map(id => id.toLowerCase()))]
}

const tooMany = () =>
  badField(
    'query',
    `finds more than ${MOST_FILES} files, or more than ${MOST_TASKS} tasks; take fewer, for example by created_after and created_before`,
  )

/** Page by page, and no further than one archive may reach. States are looked at here: with them no list has an index of its own. */
async function listAll(
  { db }: Context,
  visible: Visible,
  isGroup: boolean,
  filters: TaskFilters,
): Promise<WholeTask[]> {
  const tasks: WholeTask[] = []
  let cursor: string | undefined
  let looked = 0
  do {
    const page = await listTasks(db, visible, isGroup, filters, { limit: PAGE, cursor })
    looked += page.items.length
    tasks.push(...page.items.filter(task => finalFiles(task).length > 0))
    if (tasks.length > MOST_FILES || looked > MOST_TASKS) throw tooMany()
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
  return tasks
}

interface FinalFile {
  configuration: string
  file: StoredFile
}

/** The last file of each chain that has one. */
function finalFiles({ files_deleted_at, chains }: WholeTask): FinalFile[] {
  if (files_deleted_at !== null) return []
  return chains.flatMap(({ configuration, entries }) => {
    const entry = entries.at(-1)
    return entry?.output?.blob && isThrough(entry) ? [{ configuration, file: entry.output as StoredFile }] : []
  })
}

/** Older ones stand first, as they were made. */
function filesOf({ blobs }: Context, tasks: readonly WholeTask[]): ZipFile[] {
  const names = new Set<string>()
  return [...tasks]
    .sort((one, other) => one.created_at.getTime() - other.created_at.getTime())
    .flatMap(task =>
      finalFiles(task).map(({ configuration, file: { blob, bytes, ext } }) => ({
        name: uniqueName(names, task, configuration, ext),
        bytes,
        at: task.ended_at ?? task.created_at,
        open: () => blobs.read(blob),
      })),
    )
}

const LONGEST_NAME = 80

/** Date, time and configuration, in letters that every system takes; a second one of the same name gets a number. */
function uniqueName(taken: Set<string>, task: WholeTask, configuration: string, ext: string): string {
  const time = task.created_at.toISOString().slice(0, 19).replace('T', ' ').replaceAll(':', '-')
  const words = configuration
    .toWellFormed()
    .normalize('NFC')
    .replace(/[^\p{L}\p{N} _-]/gu, '_')
  const plain = `${time} ${[...words].slice(0, LONGEST_NAME).join('').trim() || 'file'}`
  const ending = /^\.[a-z0-9]{1,10}$/i.test(ext) ? ext : ''
  let name = `${plain}${ending}`
  for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${plain} ${number}${ending}`
  taken.add(name.toLowerCase())
  return name
}

function sendZip({ log }: Context, reply: FastifyReply, files: ZipFile[], name: string): FastifyReply {
  if (files.length > MOST_FILES) throw tooMany()
  if (files.length === 0) throw new Problem('not_found', 'No finished file is kept of what was asked for.')
  if (files.reduce((sum, { bytes }) => sum + bytes, 0) > MOST_BYTES)
    throw new Problem('too_large', 'The files have more than 16 GiB together; take fewer.')
  const day = new Date().toISOString().slice(0, 10)
  reply.headers({
    'content-type': 'application/zip',
    'content-length': zipLength(files),
    'content-disposition': `attachment; filename="${name}-${day}.zip"`,
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  })
  if (reply.request.method === 'HEAD') return reply.send()
  const stream = Readable.from(zipStream(files), { objectMode: false })
  stream.on('error', error => log.warn({ err: error }, 'an archive was cut off'))
  return reply.send(stream)
}

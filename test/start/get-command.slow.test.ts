// keepsake get: every kind, as a table, as JSON, by names alone, and one of each.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { commands } from '../../src/commands/commands.ts'
import { cleanUp } from '../support/clean-up.ts'
import { type Keepsake, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { until } from '../support/until.ts'
import { type CommandHost, startCommandHost } from './command-host.ts'
import { testFolder } from './keepsake.ts'
import { runCommand } from './remote-command.ts'

let keepsake: Keepsake
let host: CommandHost

/** Each kind by the words for one of it, with its API, what a row is known by, its head, and a row of it. */
const kinds: Record<string, { one?: string; path: string; key: string; head: string; row: RegExp }> = {
  tasks: {
    one: 'task',
    path: 'task',
    key: 'task_id',
    head: 'TASK_ID STATUS CONFIGURATION EXPERIENCE_ID CREATED_AT',
    row: /^[\w-]{36} +Succeeded +small +park +20\d\d-\S+Z$/m,
  },
  groups: {
    one: 'taskgroup',
    path: 'taskgroup',
    key: 'task_id',
    head: 'TASK_ID STATUS CONFIGURATION_NAMES EXPERIENCE_ID CREATED_AT',
    row: /^[\w-]{36} +Succeeded +small, smaller +park +20\d\d-\S+Z$/m,
  },
  configurations: {
    one: 'configuration',
    path: 'configuration',
    key: 'configuration_name',
    head: 'CONFIGURATION_NAME EXPERIENCE_ID DOES UPDATED_AT',
    row: /^twice +park +small → smaller +20\d\d-\S+Z$/m,
  },
  assets: {
    one: 'asset',
    path: 'asset',
    key: 'name',
    head: 'NAME EXPERIENCE_ID MIME SIZE UPDATED_AT',
    row: /^frame\.png +park +image\/png +[\d.]+ k?B +20\d\d-\S+Z$/m,
  },
  profiles: {
    one: 'profile',
    path: 'profile',
    key: 'profile_id',
    head: 'PROFILE_ID EMAIL RFID QR_CODE EXPERIENCE_ID',
    row: /^[\w-]{36} +guest@example\.com +04A2B9, 04A2BA +- +park$/m,
  },
  activities: {
    one: 'activity',
    path: 'activity',
    key: 'activity_id',
    head: 'ACTIVITY_ID ACTIVITY_TYPE OWNER_ID EXPERIENCE_ID CREATED_AT',
    row: /^[\w-]{36} +photo +[\w-]{36} +park +20\d\d-\S+Z$/m,
  },
  callbacks: {
    one: 'callback',
    path: 'callback',
    key: 'callback_id',
    head: 'CALLBACK_ID STATUS TASK_ID URL ATTEMPTS',
    row: /^\S+ +GivenUp +[\w-]{36} +http:\/\/127\.0\.0\.1:9\/hook +\d$/m,
  },
  experiences: {
    one: 'experience',
    path: 'experience',
    key: 'experience_id',
    head: 'EXPERIENCE_ID NAME',
    row: /^park +The park$/m,
  },
  tokens: {
    one: 'token',
    path: 'token',
    key: 'token_id',
    head: 'TOKEN_ID NAME SCOPES EXPERIENCES EXPIRES_AT',
    row: /^[\w-]{36} +booth +read, tasks +park +-$/m,
  },
  adapters: {
    one: 'adapter',
    path: 'adapter',
    key: 'adapter_name',
    head: 'ADAPTER_NAME KIND SUMMARY',
    row: /^photo_resize +transformer +\S.*$/m,
  },
  audit: {
    path: 'audit',
    key: 'event_id',
    head: 'CREATED_AT ACTOR ADDRESS ACTION OBJECT OBJECT_ID',
    row: /^20\d\d-\S+Z +\S.* +127\.0\.0\.1 +create +configuration +twice$/m,
  },
}

/** Without what every request of a token changes. */
const settled = (found: object): object =>
  JSON.parse(JSON.stringify(found, (name, value) => (name === 'last_used_at' ? undefined : value)))

/** Tasks by a process for each command; the other kinds take the same way, in one process. */
const get = (...args: string[]) => {
  const run = /^tasks?$/.test(args[0] ?? '') ? runCommand : host.run
  return run(keepsake, '/', ['get', ...args])
}

/** Fails unless the command went well; its lines. */
async function linesOf(...args: string[]): Promise<string[]> {
  const { code, out, err } = await get(...args)
  assert.deepEqual([code, err], [0, ''], args.join(' '))
  return out.trimEnd().split('\n')
}

describe('keepsake get', () => {
  before(async () => {
    host = startCommandHost()
    keepsake = await startKeepsake()
    const { client } = keepsake
    const resize = (configuration_name: string, width: number) => ({
      configuration_name,
      experience_id: 'park',
      adapter_name: 'photo_resize',
      adapter_config: { auth: {}, defaults: { width } },
    })
    await keepsake.configure({
      ...resize('small', 20),
      webhook_url: 'http://127.0.0.1:9/hook',
      activity_config: { experience_id: 'park', activity_type: 'photo', payload: { object_id: 'booth 1' } },
    })
    await keepsake.configure(resize('smaller', 10))
    await keepsake.configure({
      configuration_name: 'twice',
      experience_id: 'park',
      call_chain: [
        ['small', null],
        ['smaller', 0],
      ],
    })
    await client.patch('/api/experience/park/', { name: 'The park' })
    await client.post('/api/token/', { name: 'booth', scopes: ['read', 'tasks'], experiences: ['park'] })
    const guest = {
      email: 'guest@example.com',
      rfid: ['04A2B9', '04A2BA'],
      experience_id: 'park',
      attributes: { '\u001b[2Jname': { first: '\u202eAda' } },
    }
    await client.post('/api/profile/', guest)
    const photo = new Blob([new Uint8Array(await png(pattern(64, 48, 3)))])
    await keepsake.send('/api/asset/', { name: 'frame.png', experience_id: 'park', file: photo })
    const extras = JSON.stringify({ rfid: ['04A2B9'] })
    const task = await keepsake.send('/api/task/', { configuration_name: 'small', extras, data: photo })
    await keepsake.ended(`/api/task/${task.body.task_id}/`)
    const group = await keepsake.send('/api/taskgroup/', {
      configuration_names: '["small", "smaller"]',
      small_data: photo,
      smaller_input: 'small',
    })
    await keepsake.ended(`/api/taskgroup/${group.body.task_id}/`)
    await until('the callback is given up', async () =>
      (await client.get('/api/callback/')).body.items.every(({ status }: { status: string }) => status === 'GivenUp'),
    )
  })
  after(() =>
    cleanUp(
      () => host.stop(),
      () => keepsake.stop(),
    ),
  )

  test('knows every kind that its completion offers', () => {
    assert.deepEqual(Object.keys(kinds), [...commands.get.completes])
  })

  for (const [kind, { one, path, key, head, row }] of Object.entries(kinds))
    test(`${kind}: as a table, as JSON, by names, and one alone`, async () => {
      const { items } = (await keepsake.client.get(`/api/${path}/`)).body
      assert.ok(items.length > 0)
      const lines = await linesOf(kind)
      assert.equal(lines[0]?.replace(/ +/g, ' '), head)
      assert.match(lines.join('\n'), row)
      assert.equal(lines.length, items.length + 1)
      assert.deepEqual(settled(JSON.parse((await linesOf(kind, '--json')).join('\n'))), settled(items))
      const names = items.map((item: Record<string, string>) => item[key])
      assert.deepEqual(await linesOf(kind, '--names'), names)
      if (one === undefined) {
        const { code, err } = await get(kind, 'one')
        assert.deepEqual([code, err], [2, `keepsake: ${kind} can only be listed\n`])
        return
      }
      const { body } = await keepsake.client.get(`/api/${path}/${names[0]}/`)
      assert.deepEqual(settled(JSON.parse((await linesOf(one, names[0], '--json')).join('\n'))), settled(body))
      assert.deepEqual(await linesOf(one, names[0], '--names'), [names[0]])
      assert.ok((await linesOf(one, names[0])).includes(`${key}: ${names[0]}`))
    })

  test('what guests wrote moves no cursor, in names and in values', async () => {
    const [id] = await linesOf('profiles', '--names')
    const lines = (await linesOf('profile', id ?? '')).join('\n')
    assert.ok(!lines.includes('\u001b') && !lines.includes('\u202e'), lines)
    assert.match(lines, /^ {2}name:\n {4}first: {2}Ada$/m)
  })

  test('filters, limits and kinds that do not fit are said', async t => {
    for (const kind of ['configurations', 'adapters'])
      assert.equal((await linesOf(kind, '--names', '--limit', '1')).length, 1)
    assert.deepEqual(await linesOf('tasks', '--status', 'Failed', '--names'), [''])
    const none = await get('tasks', '--status', 'Failed')
    assert.deepEqual([none.code, none.out, none.err], [0, '', 'There are none.\n'])
    for (const limit of ['0', '1.5', 'many', '100001']) assert.equal((await get('adapters', '--limit', limit)).code, 2)
    const unknown = await get('adapters', '--status', 'Failed')
    assert.deepEqual([unknown.code, unknown.err.includes('status')], [1, true], unknown.err)
    const things = await get('things')
    assert.deepEqual([things.code, things.err.includes('audit')], [2, true])
    const files = await runCommand(keepsake, testFolder(t), ['get', 'adapter', 'photo_resize', '--out', 'made'])
    assert.deepEqual([files.code, files.err.includes('--out saves the files of a task')], [2, true])
  })
})

// Kills a process before and after every side effect, and looks from outside whether anybody could tell.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { QUEUE_CHANNEL } from '#db/notify.ts'
import { type effects, failpoints } from '#kit/failpoint.ts'
import { assertNothingLeft, type Grounds, sendTask } from '../support/chaos.ts'
import { startReceiver } from '../support/https-receiver.ts'
import { idOf, newTus } from '../support/tus.ts'
import { until } from '../support/until.ts'
import {
  accept,
  type Case,
  guest,
  newTroupe,
  picture,
  play,
  type Scene,
  type Stage,
  type Troupe,
  work,
} from './stage.ts'

type Effect = (typeof effects)[number]

/** Scenes run side by side, each lane on grounds of its own. */
const LANES = 2

const scenes: Partial<Record<Effect, Scene>> = {
  async cancel(stage) {
    await stage.troupe.stopWorker()
    const taskId = await stage.send()
    await stage.dyingApi(() => stage.client().post(`/api/task/${taskId}/cancel/`))
    await stage.workOff()
    const { body } = await stage.client().get(`/api/task/${taskId}/`)
    assert.equal(body.status, stage.point === 'cancel.after' ? 'Cancelled' : 'Succeeded')
  },
  async retry(stage) {
    const { destination } = stage.grounds
    destination.mood = () => 'refuse'
    const taskId = await stage.send()
    await stage.workOff()
    destination.mood = () => 'fine'
    const { files } = stage.sent
    const body = new FormData()
    body.append('overlay_file_name_data', picture)
    const retry = () => stage.client().send('POST', `/api/task/${taskId}/retry/`, files ? { body } : {})
    await stage.dyingApi(retry)
    if (stage.point === 'retry.before') assert.equal((await retry()).status, 202)
    else assert.equal((await retry()).status, 409)
    await stage.workOff()
    const { body: task } = await stage.client().get(`/api/task/${taskId}/`)
    assert.equal(task.status, 'Succeeded', JSON.stringify(task.entries))
  },
  async resend(stage) {
    const taskId = await stage.send()
    await stage.workOff()
    const [callback] = (await stage.client().get(`/api/callback/?task_id=${taskId}`)).body.items
    const resend = () => stage.client().post(`/api/callback/${callback.callback_id}/resend/`)
    await stage.dyingApi(resend)
    if (stage.point === 'resend.before') assert.equal((await resend()).status, 202)
    await stage.workOff()
    const { body } = await stage.client().get(`/api/callback/${callback.callback_id}/`)
    assert.equal(body.attempts.length, 2)
  },
  async delete_task(stage) {
    const taskId = await stage.send()
    await stage.workOff()
    await stage.troupe.stopWorker()
    const [file] = await stage.grounds.query<{ blob: string }>(
      `select input #>> '{file,blob}' as blob from chains where task_id = $1`,
      [taskId],
    )
    const remove = () => stage.client().delete(`/api/task/${taskId}/`)
    await stage.dyingApi(remove)
    assert.equal((await remove()).status, stage.point === 'delete_task.before' ? 204 : 404)
    assert.equal((await stage.client().get(`/api/activity/?task_id=${taskId}`)).body.items.length, stage.activities)
    const left = await stage.grounds.query('select from uploads where blob = $1', [file?.blob])
    assert.equal(left.length, stage.point === 'delete_task.before' ? 0 : 1, 'the sweeper knows of the files')
    await stage.grounds.query(`update uploads set created_at = now() - interval '2 hours'`)
    await stage.troupe.start('worker')
    await until('nothing is left', async () => (await stage.grounds.query('select from uploads')).length === 0)
    // Its callback went with it: nobody can hold what came against its record.
    const { received } = stage.grounds.receiver
    received.splice(0, received.length, ...received.filter(({ body }) => !body.includes(taskId)))
  },
  async callback_claim(stage) {
    const taskId = await stage.send()
    await stage.workOff()
    // The first attempt is made by whoever ended the task; later ones are claimed.
    const [callback] = (await stage.client().get(`/api/callback/?task_id=${taskId}`)).body.items
    await stage.dyingWorker(async () => {
      assert.equal((await stage.client().post(`/api/callback/${callback.callback_id}/resend/`)).status, 202)
    })
  },
  async profile(stage) {
    const rfid = `late-${stage.point}`
    const taskId = await stage.send({ extras: { rfid: [rfid] } })
    await stage.workOff()
    const make = () => stage.client().post('/api/profile/', { rfid, experience_id: 'park' })
    await stage.dyingApi(make)
    assert.equal((await make()).status, stage.point === 'profile.before' ? 201 : 409)
    assert.equal((await stage.client().get(`/api/activity/?task_id=${taskId}`)).body.items.length, 1)
  },
  async download(stage) {
    const bytes = Buffer.from(await picture.arrayBuffer())
    const web = await startReceiver({ answer: (_request, response) => void response.end(bytes) })
    try {
      const sent = { configuration: 'park', extras: guest.extras as object, data_url: `${web.url}/picture` }
      await stage.dyingWorker(async () => {
        const answer = await sendTask(stage.url, stage.grounds.token, sent)
        assert.equal(answer?.status, 202, JSON.stringify(answer))
      })
    } finally {
      await web.stop()
    }
  },
  async checkpoint(stage) {
    // Above 16 MiB a file goes up in parts, and what was begun is kept so that it can be taken back.
    const data = new Blob([Buffer.alloc(17 * 1024 ** 2, 7)])
    // The guest's profile is changed between the two attempts: the file must not move with it.
    const rfid = `moving-${stage.point}-${stage.time}`
    const profile = { rfid, experience_id: 'park', attributes: { team: 'red' } }
    const { body } = await stage.client().post('/api/profile/', profile)
    const extras = { rfid: [rfid], file_prefix: '{{profile.team}}/' }
    await stage.troupe.stopWorker()
    const taskId = await stage.send({ configuration: 'park-store', extras, data })
    await stage.newWorkerDies()
    const change = { attributes: { team: 'blue' } }
    assert.equal((await stage.client().patch(`/api/profile/${body.profile_id}/`, change)).status, 200)
    await stage.workOff()
    const keys = [...stage.grounds.destination.objects.keys()].filter(key => key.includes(taskId))
    const isFixed = stage.point !== 'checkpoint.before' || stage.time > 1
    assert.deepEqual(keys, [`${isFixed ? 'red' : 'blue'}/${taskId}-0.txt`])
  },
  async release(stage) {
    const { grounds, point } = stage
    const { destination } = grounds
    // A pause of an hour is not over before the task is put off.
    const { body: store } = await stage.client().get('/api/configuration/park-store/')
    const defaults = { ...store.adapter_config.defaults, delivery_backoff: 3600 }
    const { status, body } = await stage.client().post('/api/configuration/', {
      configuration_name: `patient-${point}`,
      experience_id: 'park',
      adapter_name: 's3_upload',
      adapter_config: { auth: { access_key: 'chaos', secret_key: 'chaos-secret-key' }, defaults },
      activity_config: store.activity_config,
      webhook_url: store.webhook_url,
    })
    assert.equal(status, 201, JSON.stringify(body))
    const refused = new Set<string>()
    destination.mood = key => {
      const isFirst = !refused.has(key)
      refused.add(key)
      return isFirst ? 'busy' : 'fine'
    }
    let taskId = ''
    await stage.workerDies(async () => {
      taskId = await stage.send({ configuration: `patient-${point}` })
    })
    assert.deepEqual(
      [...refused].map(key => key.includes(taskId)),
      [true],
    )
    await stage.troupe.start('worker')
    await until('it is tried again', async () => {
      await bringForward(grounds, taskId)
      return destination.objects.has([...refused][0] ?? '')
    })
    destination.mood = () => 'fine'
    await stage.workOff()
  },
  async recover(stage) {
    const { destination } = stage.grounds
    const first = await stage.troupe.start('worker')
    const seen = destination.requests()
    destination.mood = () => 'hang'
    await stage.send()
    await until('the delivery is under way', async () => destination.requests() > seen)
    first.kill('SIGKILL')
    await stage.troupe.gone('worker')
    destination.mood = () => 'fine'
    await stage.newWorkerDies()
    await stage.workOff()
  },
  async reconcile(stage) {
    await stage.troupe.stopWorker()
    const taskId = await stage.send()
    await stage.grounds.query(`delete from pgboss.job where data ->> 'task_id' = $1`, [taskId])
    await stage.grounds.query(`update tasks set created_at = now() - interval '1 minute' where task_id = $1`, [taskId])
    await stage.newWorkerDies()
    await stage.workOff()
  },
  erase: erased,
  erase_target: erased,
  erase_task: erased,
  erase_person: erased,
  append: resumed,
  complete: resumed,
  async sweep_files(stage) {
    const taskId = await stage.send()
    await stage.workOff()
    const now = { KEEPSAKE_KEEP_FILES_DAYS: '0' }
    await stage.newWorkerDies(now)
    await stage.troupe.start('worker', now)
    await until('the files are gone', async () => {
      const [row] = await stage.grounds.query<{ gone: boolean }>(
        'select files_deleted_at is not null as gone from tasks where task_id = $1',
        [taskId],
      )
      return row?.gone
    })
    await stage.troupe.stopWorker()
    assert.equal((await stage.client().get(`/api/task/${taskId}/output/0/`)).status, 410)
  },
  async sweep_uploads(stage) {
    const { troupe, grounds } = stage
    troupe.order('api', `create.before:${stage.flagFile}.upload`)
    await sendTask(stage.url, grounds.token, { configuration: 'park', ...guest })
    assert.equal((await troupe.gone('api')).how, 'SIGKILL')
    troupe.order('api', null)
    await troupe.start('api')
    await grounds.query(`update uploads set created_at = now() - interval '2 hours'`)
    await stage.newWorkerDies()
    await troupe.start('worker')
    await until('the upload is gone', async () => (await grounds.query('select from uploads')).length === 0)
  },
  async sweep_assets(stage) {
    const name = `frame-${stage.point}`
    const put = (method: string, path: string, fields: Record<string, string>) => {
      const body = new FormData()
      for (const [field, value] of Object.entries(fields)) body.append(field, value)
      body.append('file', picture)
      return stage.client().send(method, path, { body })
    }
    const made = await put('POST', '/api/asset/', { name, experience_id: 'park' })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const replaced = await put('PUT', `/api/asset/${name}/`, {})
    assert.equal(replaced.status, 200, JSON.stringify(replaced.body))
    await stage.grounds.query(
      `update asset_versions set sweep_at = now() - interval '2 hours' where replaced_at is not null`,
    )
    await stage.newWorkerDies()
    await stage.troupe.start('worker')
    await until('the old version is gone', async () => {
      const old = await stage.grounds.query('select from asset_versions where replaced_at is not null')
      return old.length === 0
    })
  },
}

/** The pause of a task is over. */
async function bringForward({ query }: Grounds, taskId: string): Promise<void> {
  await query(
    'update entries set retry_at = null from chains where chains.chain_id = entries.chain_id and task_id = $1 and retry_at is not null',
    [taskId],
  )
  await query(
    'update pgboss.job set start_after = now() where start_after > now() and id = (select job_id from tasks where task_id = $1)',
    [taskId],
  )
  await query('select pg_notify($1, lane) from tasks where task_id = $2', [QUEUE_CHANNEL, taskId])
}

/** The API dies over an erasure; the worker goes on with it, and the receipt is whole. */
async function erased(stage: Stage): Promise<void> {
  const { grounds, point, troupe } = stage
  const rfid = `erased-${point}`
  const { body: person } = await stage.client().post('/api/profile/', { rfid, experience_id: 'park' })
  const taskId = await stage.send({ extras: { rfid } })
  await stage.workOff()
  await troupe.stopWorker()
  const path = `/api/profile/${person.profile_id}/`
  const erase = () => stage.client().delete(`${path}?media=retract`)
  await stage.dyingApi(erase)
  if (point === 'erase.before') assert.equal((await erase()).status, 202)
  // The lease of the dead one is over.
  await grounds.query('update erasures set leased_until = now() where leased_until is not null')
  await troupe.start('worker')
  const [row] = await until('the receipt is whole', async () => {
    const rows = await grounds.query<{ receipt: string }>(`select receipt from erasures where status = 'Done'`)
    return rows.length > 0 && rows
  })
  const { counts, removed } = JSON.parse(row?.receipt ?? '')
  assert.deepEqual([counts.tasks, counts.profiles, counts.files, counts.callbacks], [1, 1, 2, 1])
  assert.deepEqual(
    removed.map((line: { task_id: string }) => line.task_id),
    [taskId],
  )
  for (const gone of [path, `/api/task/${taskId}/`]) assert.equal((await stage.client().get(gone)).status, 404)
  assert.deepEqual(
    [...grounds.destination.objects.keys()].filter(key => key.includes(taskId)),
    [],
  )
  await grounds.query('delete from erasures')
  const { received } = grounds.receiver
  received.splice(0, received.length, ...received.filter(({ body }) => !body.includes(taskId)))
}

/** A client that goes on with its upload when the API is back, and then runs its task on it. */
async function resumed(stage: Stage): Promise<void> {
  const tus = newTus(() => stage.url, stage.grounds.token)
  const bytes = Buffer.from(await picture.arrayBuffer())
  const path = await tus.begin(bytes.length)
  await stage.dyingApi(() => assert.rejects(tus.append(path, 0, bytes)))
  const offset = await tus.offset(path)
  assert.equal(offset, stage.point === 'append.before' ? 0 : bytes.length)
  if (offset < bytes.length) assert.equal((await tus.append(path, offset, bytes.subarray(offset))).status, 204)
  const form = new FormData()
  form.append('configuration_name', 'park')
  form.append('data_upload', idOf(path))
  form.append('extras', JSON.stringify(guest.extras))
  const answer = await stage.client().send('POST', '/api/task/', { body: form })
  assert.equal(answer.status, 202, JSON.stringify(answer.body))
  await stage.workOff()
}

const sceneOf = (effect: Effect): Scene => scenes[effect] ?? (effect === 'create' ? accept : work)

const cases: Case[] = [
  ...failpoints.map(point => ({
    point,
    part: 'worker' as const,
    scene: sceneOf(point.split('.')[0] as Effect),
    time: 1,
  })),
  // First the place is fixed. Then it is noted that an upload in parts is about to begin, and at last which one did.
  ...(['checkpoint.before', 'checkpoint.after'] as const).flatMap(point =>
    [2, 3].map(time => ({ point, part: 'worker' as const, scene: sceneOf('checkpoint'), time })),
  ),
  // These happen in the API too.
  ...failpoints
    .filter(point => /^(note|blob)\./.test(point))
    .map(point => ({ point, part: 'api' as const, scene: accept, time: 1 })),
  // A file in place of an asset is received, owned, used, replaced and swept like the input.
  ...failpoints
    .filter(point => /^(create|retry|media|sweep_files)\./.test(point))
    .map(point => ({
      point,
      part: 'worker' as const,
      scene: sceneOf(point.split('.')[0] as Effect),
      time: 1,
      framed: true,
    })),
  ...failpoints
    .filter(point => /^(note|blob)\./.test(point))
    .map(point => ({ point, part: 'api' as const, scene: accept, time: 2, framed: true })),
]

const lanes = Array.from({ length: LANES }, (_, lane) => cases.filter((_case, index) => index % LANES === lane))

describe('a crash before or after a side effect leaves no trace', { concurrency: LANES }, () => {
  for (const [number, lane] of lanes.entries())
    describe(`lane ${number + 1}`, { concurrency: 1 }, () => {
      let troupe: Troupe

      before(async () => {
        troupe = await newTroupe()
      })
      after(() => troupe?.grounds.stop())

      for (const one of lane)
        it(`${one.point}${(one.time ?? 1) > 1 ? `, time ${one.time},` : ''}${one.framed ? ' with a file for an asset' : ''} in the ${one.part === 'api' ? 'API' : 'process that does it'}`, () =>
          play(troupe, one))

      it('the last worker stops in order and leaves nothing', async () => {
        await troupe.stopWorker()
        await assertNothingLeft(troupe.grounds)
      })
    })
})

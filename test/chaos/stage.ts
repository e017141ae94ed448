// One deployment whose processes die where a test says, and what must be true of it afterwards.
import assert from 'node:assert/strict'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FailpointName } from '#kit/failpoint.ts'
import {
  assertNothingLeft,
  assertOutcomes,
  configure,
  type Grounds,
  newGrounds,
  type Sent,
  sendTask,
  settled,
} from '../support/chaos.ts'
import type { Part } from '../support/chaos-process.ts'
import { pattern, png } from '../support/pictures.ts'
import { until } from '../support/until.ts'

export type Scene = (stage: Stage) => Promise<void>

export interface Case {
  point: FailpointName
  part: 'api' | 'worker'
  scene: Scene
  /** Which time it is reached that the process dies there; the first, unless it is given. */
  time?: number
  /** With a file in place of an asset. */
  framed?: boolean
}

/** The processes of a lane: they live on from scene to scene unless they die in one. */
export class Troupe {
  readonly grounds: Grounds
  private running: { api?: Part; worker?: Part } = {}

  constructor(grounds: Grounds) {
    this.grounds = grounds
  }

  get api(): Part {
    assert.ok(this.running.api, 'an API runs')
    return this.running.api
  }

  /** Says where a process has to die from now on; null: nowhere. */
  order(part: 'api' | 'worker', where: string | null): void {
    if (where === null) rmSync(this.orders(part), { force: true })
    else writeFileSync(this.orders(part), where)
  }

  private orders(part: 'api' | 'worker'): string {
    return join(this.grounds.folder, `orders-${part}`)
  }

  /** Starts one unless it runs. */
  async start(part: 'api' | 'worker', env: Record<string, string> = {}): Promise<Part> {
    const orders = { KEEPSAKE_FAILPOINT: `@${this.orders(part)}` }
    this.running[part] ??= await this.grounds.start(part, { ...orders, ...env })
    return this.running[part]
  }

  /** It has ended, or is about to. */
  async gone(part: 'api' | 'worker'): Promise<{ how: number | NodeJS.Signals; said: string }> {
    const gone = this.running[part]
    assert.ok(gone, `a process runs as ${part}`)
    const how = await gone.exit()
    delete this.running[part]
    return { how, said: gone.said() }
  }

  /** How many workers run. */
  get workers(): number {
    return this.running.worker ? 1 : 0
  }

  async stopWorker(): Promise<void> {
    if (!this.running.worker) return
    this.running.worker.kill('SIGTERM')
    const { how, said } = await this.gone('worker')
    assert.equal(how, 0, said)
  }
}

export class Stage {
  readonly troupe: Troupe
  readonly point: FailpointName
  readonly flagFile: string
  activities = 1

  /** Which time it is reached that it dies there. */
  readonly time: number

  /** What it sends in place of the usual. */
  readonly sent: Partial<Sent>

  constructor(troupe: Troupe, { point, part, time = 1, framed = false }: Case) {
    this.troupe = troupe
    this.point = point
    this.time = time
    this.sent = framed ? { configuration: 'park-framed', files: { overlay_file_name: [picture] } } : {}
    this.flagFile = join(this.grounds.folder, `died-${part}-${point}-${time}${framed ? '-framed' : ''}`)
  }

  get grounds(): Grounds {
    return this.troupe.grounds
  }

  get url(): string {
    return this.troupe.api.url
  }

  client = () => this.grounds.client(this.url)

  async send(sent: Partial<Sent> = {}): Promise<string> {
    const answer = await sendTask(this.url, this.grounds.token, {
      configuration: 'park',
      ...guest,
      ...this.sent,
      ...sent,
    })
    assert.equal(answer?.status, 202, JSON.stringify(answer))
    return answer.body.task_id
  }

  /** A process that dies at the point, and only by its own hand, while something is asked of it. */
  private async dies(part: 'api' | 'worker', ask: () => Promise<unknown>): Promise<void> {
    this.troupe.order(part, `${this.point}#${this.time}:${this.flagFile}`)
    await ask()
    const { how, said } = await this.troupe.gone(part).catch(() => ({ how: 'not at all', said: '' }))
    this.troupe.order(part, null)
    assert.equal(how, 'SIGKILL', `it dies at ${this.point}; it said ${said.slice(-2000)}`)
    assert.ok(existsSync(this.flagFile), `it dies at ${this.point} and nowhere else`)
  }

  /** A worker that dies over what comes in. */
  async workerDies(ask: () => Promise<unknown>): Promise<void> {
    await this.troupe.start('worker')
    await this.dies('worker', ask)
  }

  /** The same; the next one finds it. */
  async dyingWorker(ask: () => Promise<unknown>): Promise<void> {
    await this.workerDies(ask)
    await this.workOff()
  }

  /** Nobody works; then a worker comes that dies over what it finds. */
  async newWorkerDies(env: Record<string, string> = {}): Promise<void> {
    await this.troupe.stopWorker()
    await this.dies('worker', () => this.troupe.start('worker', env))
  }

  /** An API that dies in the middle of what is asked of it. */
  async dyingApi(ask: () => Promise<unknown>): Promise<void> {
    await this.dies('api', () => ask().catch(() => {}))
    await this.troupe.start('api')
  }

  /** Works everything off. */
  async workOff(): Promise<void> {
    await this.troupe.start('worker')
    await settled(this.grounds)
  }
}

export const picture = new Blob([new Uint8Array(await png(pattern(24, 16, 3)))])
export const guest = { data: picture, extras: { rfid: ['04A2B9'] } }

/** The usual: a task comes, the worker dies over it, the next one ends it. */
export const work: Scene = stage => stage.dyingWorker(() => stage.send())

/** The client's request breaks off; it sends it again, under the same key, when the service is back. */
export const accept: Scene = async stage => {
  const { grounds } = stage
  const key = `key-${stage.flagFile}`
  const before = (await grounds.query('select from tasks')).length
  const send = () => sendTask(stage.url, grounds.token, { configuration: 'park', ...guest, ...stage.sent, key })
  await stage.dyingApi(send)
  // Half a minute passes: only then is the key of a request that died free again.
  await grounds.query(
    `update idempotency_keys set created_at = created_at - interval '31 seconds' where task_id is null`,
  )
  assert.equal((await send())?.status, 202)
  await stage.workOff()
  assert.equal((await grounds.query('select from tasks')).length, before + 1, 'one key, one task')
}

/** A troupe on grounds of its own, with its configurations and the guest. */
export async function newTroupe(): Promise<Troupe> {
  // A process or two a crash are started: without looking for tools that pictures don't need it takes less.
  const env = { FFMPEG_PATH: 'none', FFPROBE_PATH: 'none', KEEPSAKE_CONCURRENCY: '1' }
  const troupe = new Troupe(await newGrounds({ env }))
  const client = troupe.grounds.client((await troupe.start('api')).url)
  await configure(troupe.grounds, client)
  const { status } = await client.post('/api/profile/', { rfid: '04A2B9', experience_id: 'park' })
  assert.equal(status, 201)
  return troupe
}

/** Plays the scene, and looks whether anybody could tell that a process died in it. */
export async function play(troupe: Troupe, one: Case): Promise<void> {
  const { grounds } = troupe
  await one.scene(new Stage(troupe, one))
  // One that had nothing in hand when it died is missed by nobody, and forgotten a moment later.
  const { workers } = troupe
  await until('the dead are forgotten', async () => (await grounds.query('select from workers')).length === workers)
  await assertOutcomes(grounds)
  await assertNothingLeft(grounds, workers)
  assert.equal(grounds.destination.openUploads(), 0, 'no parts are left at the destination')
}

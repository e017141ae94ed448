// For tests of erasures: a target that loses answers, guests with a task each, and what the receipt of a guest tells.
import assert from 'node:assert/strict'
import type { Answer } from './client.ts'
import { type Receiver, startReceiver } from './https-receiver.ts'
import type { Keepsake } from './keepsake.ts'
import { until } from './until.ts'

/** How the target treats one request that brings a file: `lost` takes it, and its answer never comes. */
type Treated = 'lost' | number

export interface LossyTarget {
  receiver: Receiver
  /** One each; all others are taken. */
  treated: Treated[]
  deleteStatus: number
  stored: Set<string>
  clear(): void
}

export async function startLossyTarget(): Promise<LossyTarget> {
  const receiver = await startReceiver({
    answer({ method, url: asked }, response) {
      const url = asked.split('?', 1)[0] as string
      if (method === 'DELETE') {
        if (target.deleteStatus === 204) target.stored.delete(url)
        return void response.writeHead(target.deleteStatus).end()
      }
      const how = target.treated.shift() ?? 200
      if (how === 'lost') {
        target.stored.add(url)
        return void response.destroy()
      }
      if (how < 300) target.stored.add(url)
      response.writeHead(how, { etag: '"x"' }).end()
    },
  })
  const target: LossyTarget = {
    receiver,
    treated: [],
    deleteStatus: 204,
    stored: new Set(),
    clear() {
      Object.assign(target, { treated: [], deleteStatus: 204 })
      target.stored.clear()
    },
  }
  return target
}

export interface Begun {
  profile: string
  task: string
}

/** `picture`: what tasks get that are given no other file. */
export function newGuests({ client, send, ended }: Keepsake, picture: Blob) {
  let people = 0

  async function begin(configuration_name: string, data = picture, more: object = {}): Promise<Begun> {
    const rfid = `guest-${++people}`
    const { body: profile } = await client.post('/api/profile/', { rfid, consent: { share: true } })
    const extras = JSON.stringify({ rfid, ...more })
    const { status, body } = await send('/api/task/', { configuration_name, data, extras })
    assert.equal(status, 202, JSON.stringify(body))
    return { profile: profile.profile_id, task: body.task_id }
  }

  async function endsAs({ task }: Begun, status: string): Promise<Answer['body']> {
    const body = await ended(`/api/task/${task}/`)
    assert.equal(body.status, status, JSON.stringify(body.entries))
    return body
  }

  /** Runs a task that fails with this code. Answers its guest. */
  async function fail(configuration: string, code: string, data = picture, more: object = {}): Promise<string> {
    const begun = await begin(configuration, data, more)
    const { entries } = await endsAs(begun, 'Failed')
    assert.equal(entries[0].error?.code, code, JSON.stringify(entries))
    return begun.profile
  }

  async function askToErase(profile: string): Promise<Answer['body']> {
    const { status, body } = await client.delete(`/api/profile/${profile}/?media=retract`)
    assert.equal(status, 202, JSON.stringify(body))
    return body
  }

  const done = ({ erasure_id }: Answer['body']): Promise<Answer['body']> =>
    until('it is erased', async () => {
      const receipt = JSON.parse((await client.get(`/api/erasure/${erasure_id}/`)).body.receipt)
      return receipt.status === 'Done' && receipt
    })

  async function erase(profile: string): Promise<Answer['body']> {
    const receipt = await done(await askToErase(profile))
    assert.equal(receipt.counts.tasks, 1)
    return receipt
  }

  return { begin, endsAs, fail, askToErase, done, erase }
}

export const lines = ({ status, removed, kept }: Answer['body']) => ({
  status,
  removed: removed.map(({ configuration }: Answer['body']) => configuration),
  kept: kept.map(({ configuration, code }: Answer['body']) => [configuration, code]),
})
export const gone = (configuration: string) => ({ status: 'Done', removed: [configuration], kept: [] })
export const unknown = (configuration: string) => ({
  status: 'Done',
  removed: [],
  kept: [[configuration, 'unknown']],
})
export const nothing = { status: 'Done', removed: [], kept: [] }

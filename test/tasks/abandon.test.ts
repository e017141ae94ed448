// Taking away what unfinished deliveries left: many targets that are away keep a task waiting no longer than one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import Type from 'typebox'
import type { Snapshot } from '#db/tables.ts'
import type { EntryRow, WholeTask } from '#db/tasks/task-rows.ts'
import { type Adapter, destinationAdapter } from '#engine/adapter.ts'
import { newLog } from '#kit/log.ts'
import { abandonDeliveries } from '#tasks/end/abandon.ts'
import { noGuests } from '#tasks/entry/guests.ts'
import { loadTask } from '#tasks/entry/loaded.ts'
import type { TaskServices } from '#tasks/task-services.ts'

const ENTRIES = 40

test('unfinished deliveries are given up side by side, some at once', async () => {
  let now = 0
  let most = 0
  let given = 0
  const slow = destinationAdapter({
    name: 'slow',
    summary: 'Takes its time.',
    accepts: ['file'],
    makes: 'same',
    options: Type.Object({}),
    target: [],
    deliver: async () => ({}),
    async abandon() {
      most = Math.max(most, ++now)
      await turn()
      now--
      given++
    },
  })
  const entries = Array.from({ length: ENTRIES }, (_each, index) => ({
    index,
    adapter_name: 'slow',
    status: 'Failed',
    checkpoint: index === 0 ? null : { begun: true },
    output: null,
  })) as unknown as EntryRow[]
  const config = { adapter_name: 'slow', configuration: 'slow', auth: null, defaults: {} }
  const snapshots = new Map([['s', { entries: entries.map(() => config) } as unknown as Snapshot]])
  const chain = { chain_id: 'c', index: 0, snapshot_id: 's', extras: {}, configuration: 'slow', entries }
  const task = { task_id: 't', experience_id: 'park', created_at: new Date(), chains: [chain] } as unknown as WholeTask
  const services = {
    adapters: new Map<string, Adapter>([['slow', slow as unknown as Adapter]]),
    log: newLog('silent', 'test'),
    outbound: {},
  } as unknown as TaskServices
  const loaded = loadTask(services.adapters, task, snapshots)
  await abandonDeliveries(services, { task: loaded, guests: noGuests })
  assert.equal(given, ENTRIES - 1, 'those that were begun')
  assert.ok(most >= 4 && most <= 32, `${most} at once`)
})

// Settings that make no sense stop the start with one line.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BadSetting, fitting, loadSettings } from '#kit/settings.ts'

const load = (env: Record<string, string>) => loadSettings(env, '/nowhere/.env')

const refused = (env: Record<string, string>): string => {
  try {
    load(env)
  } catch (error) {
    assert.ok(error instanceof BadSetting)
    return error.message
  }
  assert.fail(`${JSON.stringify(env)} was accepted`)
}

test('no time is longer than a timer can wait', t => {
  for (const [name, key] of [
    ['KEEPSAKE_MAX_TASK_SECONDS', 'maxTaskSeconds'],
    ['KEEPSAKE_MAX_ENTRY_SECONDS', 'maxEntrySeconds'],
  ] as const) {
    assert.equal(refused({ [name]: '2147484' }), `${name} must be a whole number from 1 to 2147483, not "2147484"`)
    const seconds = load({ [name]: '2147483' })[key]
    const timer = setTimeout(() => {}, seconds * 1000)
    t.after(() => clearTimeout(timer))
    // Node puts 1 in place of what it can't wait for.
    assert.equal((timer as unknown as { _idleTimeout: number })._idleTimeout, seconds * 1000)
  }
})

test('no pause between callbacks leads to a date that there is not', () => {
  for (const value of ['1e300', 'Infinity', '5,99999999999', '-1', '5,,6', 'soon'])
    assert.equal(
      refused({ KEEPSAKE_CALLBACK_DELAYS: value }),
      `KEEPSAKE_CALLBACK_DELAYS must be a comma list of seconds from 0 to 31536000, not "${value}"`,
    )
  assert.deepEqual(load({ KEEPSAKE_CALLBACK_DELAYS: '0.5, 31536000' }).callbackDelays, [0.5, 31_536_000])
})

test('defaults fit the memory and the cores', () => {
  const MiB = 1024 ** 2
  const on = (cores: number, megabytes: number) => fitting(cores, megabytes * MiB)
  assert.deepEqual(on(1, 512), { concurrency: 1, maxMemoryBytes: 128 * MiB })
  assert.deepEqual(on(4, 1024), { concurrency: 1, maxMemoryBytes: 256 * MiB })
  assert.deepEqual(on(4, 2048), { concurrency: 3, maxMemoryBytes: 512 * MiB })
  assert.deepEqual(on(2, 24_576), { concurrency: 2, maxMemoryBytes: 1024 * MiB })
  assert.deepEqual(on(512, 1_048_576), { concurrency: 256, maxMemoryBytes: 1024 * MiB })
})

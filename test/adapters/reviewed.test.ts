// Options that can never work are refused before anything runs, by one hook, with the option and the value in the sentence.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adapterList } from '#adapters/index.ts'
import { mergeOptions, sortExtras, validateDefaults } from '#configurations/options.ts'
import type { JsonObject } from '#kit/json.ts'

const adapters = adapterList({ localRoot: null })

/** All that is refused when it is saved. */
function refusals(name: string, defaults: JsonObject): string[] {
  const adapter = adapters.get(name)!
  const errors = validateDefaults(adapter, defaults, 'defaults')
  if (errors.length > 0) return errors.map(({ field, message }) => `${field} ${message}`)
  const options = mergeOptions(adapter, defaults, sortExtras({}, '').sorted)
  return (adapter.review?.(options, new Set()) ?? [])
    .filter(({ kind }) => kind === 'wrong')
    .map(({ field, message }) => `defaults.${field} ${message}`)
}

const extent = 'must be a number above 0 and up to 100000 or a share above "0%" or null'

const cases: [adapter: string, defaults: JsonObject, refused: string[]][] = [
  ['photo_crop', { width: -10 }, [`defaults.width ${extent}, not -10`]],
  ['photo_crop', { width: 0, height: 10 }, [`defaults.width ${extent}, not 0`]],
  ['photo_crop', { height: '0%' }, [`defaults.height ${extent}, not "0%"`]],
  ['photo_crop', { x: -10, y: '-5%', width: '50%', height: 1 }, []],
  ['photo_crop', { aspect: '4x5' }, ['defaults.aspect must be a shape like "4:5" or null, not "4x5"']],
  ['video_trim', { start: 2, end: 1 }, ['defaults.end must come after start (2 s), not at 1 s']],
  ['video_trim', { end: 0 }, ['defaults.end must come after start (0 s), not at 0 s']],
  [
    'video_trim',
    { end: 1, duration: 3 },
    ['defaults.duration must be left out where end is set (1 s): it stands in its place'],
  ],
  ['video_trim', { duration: 0 }, ['defaults.duration must be above 0 s']],
  ['video_trim', { start: 2, duration: 1 }, []],
  ['video_trim', { start: 1, end: 2 }, []],
  ['video_add_text', { start: 3, end: 2 }, ['defaults.end must come after start (3 s), not at 2 s']],
  [
    'video_add_text',
    { start: 3, size_min: 50, size_max: 40 },
    ['defaults.size_min must not be above size_max, which is 40'],
  ],
  ['video_add_overlay', { start: 3, end: 2 }, ['defaults.end must come after start (3 s), not at 2 s']],
  ['video_add_overlay', { start: 3, end: 4 }, []],
  ['photo_add_text', { size_min: 100, size_max: 20 }, ['defaults.size_min must not be above size_max, which is 20']],
  // Who sets only a small size_max means letters of that size.
  ['photo_add_text', { size_max: 8 }, []],
]

for (const [name, defaults, refused] of cases)
  test(`${name} ${JSON.stringify(defaults)} is ${refused.length > 0 ? 'refused' : 'taken'}`, () =>
    assert.deepEqual(refusals(name, defaults), refused))

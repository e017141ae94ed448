// Plans: which entries of a chain run together.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fillPlaceholders } from '#engine/placeholders.ts'
import { type PlanEntry, planChain, planText } from '#engine/plan.ts'

const plan = (...entries: [PlanEntry['form'], number | null, boolean?][]): string =>
  planText(planChain(entries.map(([form, input_idx, done = false], index) => ({ index, form, input_idx, done }))))

it('neighbours of one form melt, whatever their number', () => {
  assert.equal(plan(['image', null], ['image', 0], ['image', 1]), 'image(0+1+2)<data')
  assert.equal(plan(['video', null], ['video', 0], ['deliver', 1]), 'video(0+1)<data  deliver(2)<1')
})

it('a change of form ends a segment, and files run alone', () => {
  assert.equal(plan(['image', null], ['video', 0], ['image', 1]), 'image(0)<data  video(1)<0  image(2)<1')
  assert.equal(plan(['run', null], ['run', 0]), 'run(0)<data  run(1)<0')
})

it('an entry whose file somebody else needs keeps it', () => {
  assert.equal(plan(['image', null], ['image', 0], ['image', 0]), 'image(0)<data  image(1)<0  image(2)<0')
  assert.equal(plan(['image', null], ['deliver', 0], ['image', 0]), 'image(0)<data  deliver(1)<0  image(2)<0')
})

it('a destination hands its file on', () => {
  assert.equal(plan(['image', null], ['deliver', 0], ['image', 1]), 'image(0)<data  deliver(1)<0  image(2)<1')
})

it('several entries may take the uploaded file', () => {
  assert.equal(plan(['image', null], ['image', null], ['image', 1]), 'image(0)<data  image(1+2)<data')
})

it('what is done already is not run again', () => {
  assert.equal(plan(['image', null, true], ['image', 0], ['deliver', 1]), 'image(1)<0  deliver(2)<1')
  assert.equal(plan(['image', null, true], ['deliver', 0, true]), '')
})

it('placeholders are filled with text, at any depth, and never twice', () => {
  const known = { task_id: 't1', profile: { email: 'a@b.c', tags: ['x', 'y'] }, 'a.b': 'dotted', sly: '{{task_id}}' }
  const { value, missing } = fillPlaceholders(
    {
      name: '{{ task_id }}-{{profile.email}}',
      list: ['{{profile.tags}}', { deep: '{{a.b}}{{nope}}' }],
      n: 3,
      sly: '{{sly}}',
    },
    known,
  )
  assert.deepEqual(value, { name: 't1-a@b.c', list: ['x, y', { deep: 'dotted' }], n: 3, sly: '{{task_id}}' })
  assert.deepEqual(missing, ['nope'])
})

it('placeholders reach no prototype', () => {
  assert.equal(fillPlaceholders('{{constructor}}{{__proto__.x}}{{toString}}', {}).value, '')
})

// JSON from outside: what is refused, and by which name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJson } from '#http/wire/json-body.ts'
import { Problem } from '#kit/errors.ts'

function fieldOf(text: string, field = ''): string | undefined {
  try {
    parseJson(text, field)
  } catch (error) {
    assert.ok(error instanceof Problem)
    assert.equal(error.status, 400)
    return error.errors?.[0]?.field ?? error.code
  }
  return undefined
}

test('plain JSON comes through', () => {
  assert.deepEqual(parseJson(' {"a": [1, "ü🎉", null, true]} '), { a: [1, 'ü🎉', null, true] })
})

test('too deep is told by the field it lies in, without parsing', () => {
  const deep = '['.repeat(1_000_000)
  assert.equal(fieldOf(`{"name": "x", "attributes": ${deep}`), 'attributes')
  assert.equal(fieldOf(`{"a \\" }{": 1, "inner": {"b": ${deep}`), 'inner')
  assert.equal(fieldOf(deep), 'body')
  assert.equal(fieldOf(`{"a": ${deep}`, 'extras'), 'extras.a')
  assert.equal(fieldOf(`${'['.repeat(64)}${']'.repeat(64)}`), undefined)
  assert.equal(fieldOf(`${'['.repeat(65)}${']'.repeat(65)}`), 'body')
  assert.equal(fieldOf(`{"a": "${'{['.repeat(100)}"}`), undefined, 'brackets in a text are text')
})

test('what PostgreSQL or JavaScript would trip over is told by its path', () => {
  assert.equal(fieldOf('{"a": {"b": ["x", "\\u0000"]}}'), 'a.b[1]')
  assert.equal(fieldOf('{"a": "\\ud800"}', 'extras'), 'extras.a')
  assert.equal(fieldOf('{"a": {"\\u0000": 1}}'), 'a')
  assert.equal(fieldOf('{"a": {"__proto__": {}}}'), 'a.__proto__')
  assert.equal(fieldOf('{"constructor": {"toString": 1}}'), undefined, 'names like any other')
})

test('broken JSON is told without repeating it', () => {
  for (const text of ['{"secret": canary', '{"a": "canary', 'canary']) {
    try {
      parseJson(text, 'extras')
      assert.fail()
    } catch (error) {
      assert.ok(error instanceof Problem)
      assert.equal(error.code, 'bad_json')
      assert.ok(!error.message.includes('canary'), error.message)
    }
  }
})

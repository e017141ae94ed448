// Roles of people: what the setting may be, and which role counts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimValues, parseRoles, roleFor } from '#access/roles.ts'
import { BadSetting } from '#kit/settings.ts'

test('the first role that fits counts, and none gives nothing', () => {
  const roles = parseRoles(
    '{"admins": {"scope": "admin"}, "crew": {"scope": "tasks", "experiences": ["expo"]}, "*": {"scope": "read", "experiences": ["demo"]}}',
  )
  assert.equal(roleFor(roles, ['crew', 'admins'])?.scope, 'admin')
  assert.deepEqual(roleFor(roles, ['crew'])?.experiences, ['expo'])
  assert.deepEqual(roleFor(roles, []), { value: '*', scope: 'read', experiences: ['demo'] })
  assert.equal(roleFor(roles.slice(0, 2), ['Admins', 'admins ']), null, 'letter by letter')
})

test('a claim is a text or a list of texts, at a path', () => {
  assert.deepEqual(claimValues({ groups: ['a', 1, null, 'b'] } as never, 'groups'), ['a', 'b'])
  assert.deepEqual(claimValues({ role: 'a' }, 'role'), ['a'])
  assert.deepEqual(claimValues({ realm_access: { roles: ['x'] } }, 'realm_access.roles'), ['x'])
  assert.deepEqual(claimValues({ 'https://x.test/roles': ['y'] }, 'https://x.test/roles'), ['y'])
  for (const path of ['none', 'realm_access.none', '__proto__', 'constructor.name', '', '.'])
    assert.deepEqual(claimValues({ realm_access: { roles: ['x'] } }, path), [], path)
})

test('a setting that makes no sense says what is accepted', () => {
  for (const [text, said] of [
    [null, /must be set/],
    ['crew', /must be a JSON object, like/],
    ['[]', /must be a JSON object/],
    ['{}', /1 to 64 roles/],
    [JSON.stringify(Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`r${n}`, { scope: 'read' }]))), /1 to 64/],
    ['{"": {"scope": "read"}}', /1 to 256 characters/],
    ['{"crew": "admin"}', /"crew" must be an object/],
    ['{"crew": {}}', /one of read, tasks, write, admin/],
    ['{"crew": {"scope": "root"}}', /one of read/],
    ['{"crew": {"scope": "read", "experience": []}}', /has "experience"/],
    ['{"crew": {"scope": "read", "experiences": []}}', /1 to 100 experiences/],
    ['{"crew": {"scope": "read", "experiences": [1]}}', /1 to 100 experiences/],
  ] as const)
    assert.throws(
      () => parseRoles(text),
      (error: Error) => error instanceof BadSetting && said.test(error.message),
      String(text),
    )
})

// Credentials of a configuration: masks out, stored values kept, seals bound to their row.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { maskAuth, openAuth, sealAuth, unmaskAuth } from '#configurations/credentials.ts'
import { Problem } from '#kit/errors.ts'
import { MASK } from '#kit/mask.ts'
import { secretBox } from '#kit/secret/secrets.ts'

const auth = { user: 'u', port: 22, tls: true, keys: ['a', 'b'], account: { id: 'i', key: 'k' }, none: null }

test('every value is masked, whatever its kind and depth', () => {
  const account = { id: MASK, key: MASK }
  assert.deepEqual(maskAuth(auth), { user: MASK, port: MASK, tls: MASK, keys: [MASK, MASK], account, none: null })
})

test('masks written back keep the stored values, others replace them', () => {
  assert.deepEqual(unmaskAuth(maskAuth(auth), auth), auth)
  const changed = { ...maskAuth(auth), account: { id: MASK, key: 'new' }, user: 'v' }
  assert.deepEqual(unmaskAuth(changed, auth), { ...auth, user: 'v', account: { id: 'i', key: 'new' } })
})

test('a mask without a stored value is refused by its path', () => {
  for (const [written, field] of [
    [{ other: MASK }, 'adapter_config.auth.other'],
    [{ account: MASK }, 'adapter_config.auth.account'],
    [{ keys: ['x', 'y', MASK] }, 'adapter_config.auth.keys[2]'],
  ] as const)
    assert.throws(
      () => unmaskAuth({ ...written } as never, auth),
      (error: unknown) => error instanceof Problem && error.errors?.[0]?.field === field,
    )
})

test('sealed credentials open for their own configuration only', () => {
  const box = secretBox([randomBytes(32)])
  const sealed = sealAuth(box, 'mine', auth)
  assert.deepEqual(openAuth(box, 'mine', sealed), auth)
  assert.throws(() => openAuth(box, 'yours', sealed))
  assert.equal(sealAuth(box, 'mine', {}), null)
  assert.deepEqual(openAuth(box, 'mine', null), {})
})

// Whose places work takes that clients wait for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operatorAccess } from '#access/scopes.ts'
import { placeOwner } from '#http/route/client-work.ts'

test('tokens of one experience share its places, however many there are', () => {
  const of = (tokenId: string, experiences: string[] | null) => placeOwner({ ...operatorAccess, tokenId, experiences })
  assert.deepEqual(
    [of('1', ['park']), of('2', ['park', 'zoo']), of('3', ['zoo', 'park']), of('4', ['zoo'])],
    ['park', 'park', 'park', 'zoo'],
  )
  assert.notEqual(of('1', null), of('2', null))
})

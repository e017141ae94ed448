// The memory of one job: what is held counts, what was dropped does not, and nothing is taken that may not be held.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newBitmap, openMemory } from '#media/pixels/pixel-memory.ts'
import { limits } from '../support/pictures.ts'

const MIB = 1024 ** 2
const square = { width: 1024, height: 1024 }

test('a job holds no more pixels than it may, and may go on with what it has dropped', () => {
  openMemory({ ...limits, maxPixels: 3 * MIB, maxMemoryBytes: 20 * MIB }, 0)
  try {
    const held = Array.from({ length: 4 }, () => newBitmap(square, 4))
    assert.throws(() => newBitmap({ width: 1024, height: 2048 }, 4), { code: 'memory_limit' })
    assert.throws(() => newBitmap({ width: 1024, height: 4096 }, 1), { code: 'too_many_pixels' })
    assert.equal(held.length, 4)
    held.length = 0
    // Far more than fits at once: each is dropped before the next.
    for (let i = 0; i < 30; i++) newBitmap(square, 4)
    openMemory({ ...limits, maxMemoryBytes: 20 * MIB }, 40 * MIB)
    assert.equal(newBitmap({ width: 1024, height: 9 * 1024 }, 4).length, 36 * MIB)
  } finally {
    openMemory({ ...limits, maxPixels: Number.POSITIVE_INFINITY, maxMemoryBytes: Number.POSITIVE_INFINITY }, 0)
  }
})

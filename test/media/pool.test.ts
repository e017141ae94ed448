// The pool of media children: one job each, nobody else harmed by what one of them does.
import assert from 'node:assert/strict'
import processes, { type ForkOptions } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isProblem } from '#kit/errors.ts'
import { MediaProblem } from '#media/file/media-problem.ts'
import { newPool, type Pool } from '#media/process/pool.ts'
import { order, plainRoom } from '../support/rooms.ts'
import { soon, until } from '../support/until.ts'

const onLinux = { skip: process.platform === 'linux' ? false : 'only Linux tells' }
const script = fileURLToPath(new URL('./pool-child.ts', import.meta.url))

async function withPool(
  size: number,
  work: (pool: Pool) => Promise<void>,
  idleMs = 30_000,
  keepWarm = 0,
): Promise<void> {
  const pool = newPool({ script, newRoom: plainRoom, size, idleMs, keepWarm })
  try {
    await work(pool)
  } finally {
    await pool.drain()
  }
}

/** A zombie has ended; only its parent has not looked yet. */
function alive(pid: number): boolean {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

describe('the media pool', () => {
  it('answers, passes events on and uses a child again', () =>
    withPool(2, async pool => {
      const events: unknown[] = []
      const first = await pool.run(order<{ value: number; pid: number }>({ do: 'echo', value: 7 }), {
        onEvent: event => events.push(event),
      })
      const second = await pool.run(order<{ pid: number }>({ do: 'echo' }))
      assert.equal(first.value, 7)
      assert.deepEqual(events, [{ half: true }])
      assert.equal(second.pid, first.pid)
    }))

  it('cancels a job and drains although the child has only just been started', async () => {
    await withPool(1, async pool => {
      const stop = new AbortController()
      const job = pool.run(order({ do: 'wait', value: 20 }), { signal: stop.signal })
      setTimeout(() => stop.abort(), 1)
      await assert.rejects(job, error => isProblem(error, 'cancelled'))
      assert.equal((await pool.run(order<{ value: number }>({ do: 'echo', value: 7 }))).value, 7)
    })
    const warm = newPool({ script, newRoom: plainRoom, size: 1, keepWarm: 1 })
    warm.warm()
    await warm.drain()
  })

  it('fails the job for which no child can be started, at once, and goes on when one can', async () => {
    let isFull = true
    const newRoom = () => {
      if (isFull) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
      return plainRoom()
    }
    const pool = newPool({ script, newRoom, size: 1 })
    const left = new AbortController()
    await assert.rejects(pool.run(order({ do: 'echo' }), { signal: left.signal }), { code: 'unavailable' })
    // Whoever asked goes away afterwards: nobody waits for the job any more, and nothing may come of it.
    left.abort()
    assert.equal(pool.stats().waiting, 0)
    isFull = false
    assert.equal((await pool.run(order<{ value: number }>({ do: 'echo', value: 7 }))).value, 7)
    await pool.drain()
  })

  it('keeps none warm where none can be started, and goes on', async () => {
    const newRoom = () => {
      throw Object.assign(new Error('read-only file system'), { code: 'EROFS' })
    }
    const pool = newPool({ script, newRoom, size: 1, keepWarm: 1 })
    pool.warm()
    assert.equal(pool.stats().children, 0)
    await assert.rejects(pool.run(order({ do: 'echo' })), { code: 'unavailable' })
    await pool.drain()
  })

  it('a process that the machine cannot start is no death of the file', t =>
    withPool(1, async pool => {
      const { fork } = processes
      const forks = t.mock.method(processes, 'fork', (path: string, args: string[], options: ForkOptions) =>
        fork(path, args, { ...options, execPath: '/nowhere' }),
      )
      syncBuiltinESMExports()
      const refused = assert.rejects(
        pool.run(order({ do: 'echo' })),
        (error: unknown) => error instanceof MediaProblem && error.code === 'unavailable' && !error.crash,
      )
      forks.mock.restore()
      syncBuiltinESMExports()
      await refused
      assert.equal(pool.stats().crashes, 0)
      assert.equal((await pool.run(order<{ value: number }>({ do: 'echo', value: 7 }))).value, 7)
    }))

  it('a child whose disk is full says nothing of the file, and is replaced', () =>
    withPool(1, async pool => {
      const { pid } = await pool.run(order<{ pid: number }>({ do: 'echo' }))
      await assert.rejects(pool.run(order({ do: 'full' })), (error: unknown) => isProblem(error, 'unavailable'))
      assert.notEqual((await pool.run(order<{ pid: number }>({ do: 'echo' }))).pid, pid)
    }))

  it('never has more children than it may, and works through what waits', () =>
    withPool(2, async pool => {
      const pids = await Promise.all(
        Array.from({ length: 6 }, () => pool.run(order<number>({ do: 'wait', value: 20 }))),
      )
      assert.equal(new Set(pids).size, 2)
    }))

  it('who has no child at work gets one on top of those that others have taken, and only one', () =>
    withPool(2, async pool => {
      const hang = new AbortController()
      const long = [1, 2, 3].map(() => pool.run(order({ do: 'hang' }), { owner: 'one', signal: hang.signal }))
      const ends = Promise.allSettled(long)
      assert.equal(pool.stats().busy, 2)
      const other = pool.run(order({ do: 'hang' }), { owner: 'other', signal: hang.signal })
      const again = pool.run(order({ do: 'hang' }), { owner: 'other', signal: hang.signal })
      const third = pool.run(order<{ value: number }>({ do: 'echo', value: 7 }), { owner: 'third' })
      assert.equal((await soon('the third owner is served', third)).value, 7)
      const { busy, waiting } = pool.stats()
      assert.deepEqual([busy, waiting], [3, 2])
      hang.abort()
      await Promise.allSettled([ends, other, again])
      assert.equal((await pool.run(order<{ value: number }>({ do: 'echo', value: 8 }))).value, 8)
    }))

  it('carries a problem over with its code and sentence', () =>
    withPool(1, async pool => {
      await assert.rejects(
        pool.run(order({ do: 'refuse' })),
        error => isProblem(error, 'corrupt_input') && error.message === 'No.',
      )
    }))

  it('a child that dies fails its own job alone, as a crash, and is replaced', () =>
    withPool(2, async pool => {
      const slow = pool.run(order({ do: 'wait', value: 150 }))
      await assert.rejects(
        pool.run(order({ do: 'die' })),
        (error: unknown) => error instanceof MediaProblem && error.crash && error.code === 'media_failed',
      )
      assert.equal(typeof (await slow), 'number')
      assert.equal(pool.stats().crashes, 1)
      assert.ok(await pool.run(order({ do: 'echo' })))
    }))

  it('kills a child that hangs or spins by the wall clock', () =>
    withPool(2, async pool => {
      for (const fault of ['hang', 'spin']) {
        await assert.rejects(
          pool.run(order({ do: fault }), { timeoutMs: 200 }),
          error => isProblem(error, 'time_limit') && !(error as MediaProblem).crash,
        )
      }
      assert.ok(await pool.run(order({ do: 'echo' })))
    }))

  it('kills a child that spins by its processor time; one that waits for longer is left alone', onLinux, () =>
    withPool(2, async pool => {
      const hang = new AbortController()
      const waits = pool.run(order({ do: 'hang' }), { processorSeconds: 0.1, signal: hang.signal })
      const left = assert.rejects(waits, error => isProblem(error, 'cancelled'))
      await assert.rejects(
        pool.run(order({ do: 'spin' }), { processorSeconds: 0.1 }),
        error => isProblem(error, 'time_limit') && /which its size does not explain/.test((error as Error).message),
      )
      hang.abort()
      await left
      assert.equal(pool.stats().crashes, 0)
    }),
  )

  it('over a limit of ours nothing is said of the file', () =>
    withPool(1, pool =>
      assert.rejects(
        pool.run(order({ do: 'hang' }), { timeoutMs: 50, ours: true }),
        (error: unknown) => isProblem(error, 'unavailable') && error.retryAfterSeconds === 10,
      ),
    ))

  it('a cancelled job takes its tools with it', { skip: process.platform !== 'linux' }, () =>
    withPool(1, async pool => {
      const controller = new AbortController()
      const { promise: tool, resolve } = Promise.withResolvers<number>()
      const job = pool.run(order({ do: 'tools' }), {
        signal: controller.signal,
        onEvent: event => resolve((event as { pid: number }).pid),
      })
      const pid = await soon('the tool runs', tool)
      assert.ok(alive(pid))
      controller.abort()
      await assert.rejects(job, error => isProblem(error, 'cancelled'))
      await until('the tool has ended', () => !alive(pid))
    }),
  )

  it('a job that waits can be cancelled before it has a child', () =>
    withPool(1, async pool => {
      const controller = new AbortController()
      const running = pool.run(order({ do: 'wait', value: 60 }))
      const waiting = pool.run(order({ do: 'echo' }), { signal: controller.signal })
      controller.abort()
      await assert.rejects(waiting, error => isProblem(error, 'cancelled'))
      assert.equal(typeof (await running), 'number')
    }))

  it('gives a child nothing of our environment, and a low priority in all threads that work', () =>
    withPool(1, async pool => {
      const look = order<{ env: string[]; threads: { name: string; nice: number }[] }>({ do: 'look' })
      const { env, threads } = await pool.run(look)
      assert.deepEqual(
        env.filter(name => !name.startsWith('NODE_')),
        ['TMPDIR', 'MALLOC_ARENA_MAX'],
      )
      const working = threads.filter(({ name }) => name !== 'V8Worker')
      assert.ok(working.some(({ name }) => name === 'libuv-worker'))
      assert.deepEqual([...new Set(working.map(({ nice }) => nice))], [19])
    }))

  it('lets idle children go, but keeps the warm one', () =>
    withPool(
      3,
      async pool => {
        const pids = await Promise.all([1, 2, 3].map(() => pool.run(order<number>({ do: 'wait', value: 30 }))))
        assert.equal(new Set(pids).size, 3)
        await until('one is left', () => pool.stats().children === 1)
        assert.ok(await pool.run(order({ do: 'echo' })))
      },
      100,
      1,
    ))

  it('drains: finishes what runs, refuses what comes, ends its children', async () => {
    const pool = newPool({ script, newRoom: plainRoom, size: 1 })
    const running = pool.run(order({ do: 'wait', value: 50 }))
    const drained = pool.drain()
    await assert.rejects(pool.run(order({ do: 'echo' })), error => isProblem(error, 'unavailable'))
    await drained
    assert.equal(typeof (await running), 'number')
    assert.equal(pool.stats().children, 0)
  })

  it('a child with the traces of one job runs only jobs with the same, and makes room for others', () =>
    withPool(1, async pool => {
      const pid = async (traces: string | null): Promise<number> =>
        (await pool.run(order<{ pid: number }>({ do: 'echo' }), { traces })).pid
      const plain = await pid(null)
      assert.equal(await pid(null), plain)
      const traced = await pid('font a')
      assert.equal(traced, plain)
      assert.equal(await pid('font a'), traced)
      const other = await pid('font b')
      assert.notEqual(other, traced)
      assert.notEqual(await pid(null), other)
      assert.equal(pool.stats().children, 1)
      assert.equal(pool.stats().crashes, 0)
    }))
})

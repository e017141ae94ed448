// What every destination must do, whatever lies behind it. Authors of destinations can run it on theirs.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, suite, test } from 'node:test'
import type { TSchema } from 'typebox'
import type { DestinationAdapter } from '#engine/adapter.ts'
import { type Code, isProblem, type Problem } from '#kit/errors.ts'
import type { JsonObject } from '#kit/json.ts'
import { schemaErrors } from '#kit/schema.ts'
import type { MediaFile } from '#media/file/file.ts'
import { cleanUp } from '../support/clean-up.ts'
import { checkpointOf, randomFile, type StepOptions, stepFor, type TestStep } from '../support/delivery.ts'
import type { FlakyProxy } from '../support/flaky-proxy.ts'
import { describesItsOptions } from './described.ts'

/** A destination with a real target behind it. */
export interface Bed {
  adapter: DestinationAdapter
  options: JsonObject
  auth?: JsonObject
  /** What the adapter is made with, where it is made by a function. */
  made?: string
  /** The URL of the module that exports the adapter by default, alone or in a list. Needed for large files where it does not ship with Keepsake. */
  module?: string
  /** Stands between the destination and its target; null where there is no network. */
  proxy: FlakyProxy | null
  /** The files that have been delivered, whole ones only; probes of a check too. */
  delivered(): Promise<Buffer[]>
  /** What broken attempts have left at the target, to be gone on with or taken away. */
  unfinished?(): Promise<number>
  /** Takes everything away. */
  clear(): Promise<void>
  stop(): Promise<void>
}

export interface Traits {
  /** What an attempt does that finds its forerunner was cut off after the last byte. */
  afterLostAnswer: 'one' | 'unknown'
  /** Settings with which it is refused, and the sentence that says why. */
  refusals: { title: string; with: (bed: Bed) => Partial<Pick<StepOptions, 'options' | 'auth'>>; says: RegExp }[]
  retracts: boolean
  /** Whether the file may be large: messages are not. */
  large: boolean
  /** Where it sends a file in parts: the bytes of one. */
  partBytes?: number
  /** Whether an attempt goes on where the one before it broke off. */
  resumes: boolean
  /** Where it resumes: so many bytes are under way at once, and lost together when the connection breaks; 48 MiB unless told. */
  underWay?: number
  /** Where the file does not arrive byte for byte: a file that it takes, and what arrives is only counted. */
  made?(folder: string): Promise<MediaFile>
  /** It sends a few hundred bytes, whatever the file: too few to be cut off in between. */
  isShort?: true
}

export const MiB = 1024 ** 2

/** A destination's bed with what every test of it needs. */
export interface Ground extends Bed {
  step(given?: Partial<StepOptions>): TestStep
  newMarker(): string
  newFile(bytes: number): Promise<MediaFile>
  /** The problem that the work ends with. */
  failure(work: Promise<unknown>): Promise<Problem>
  /** That this file was delivered, and nothing else. */
  assertOne(file: MediaFile): Promise<void>
  /** Codes of an attempt whose connection broke. */
  brokenOff: readonly Code[]
  folder: string
}

/** Starts the bed for the tests of one suite; without it, a test says that it is missing. */
export function onGround(
  title: string,
  startBed: () => Promise<Bed | null>,
  traits: Pick<Traits, 'afterLostAnswer' | 'made'>,
  declare: (ground: Ground) => void,
): void {
  suite(title, async () => {
    const bed = await startBed()
    if (bed === null) return void test(`${title} needs a server that is not installed here`, { skip: true }, () => {})
    const folder = await mkdtemp(join(tmpdir(), 'keepsake-contract-'))
    after(() =>
      cleanUp(
        () => bed.stop(),
        () => rm(folder, { recursive: true, force: true }),
      ),
    )
    before(() => bed.clear())
    beforeEach(() => {
      if (bed.proxy) Object.assign(bed.proxy, { cutAfter: null, swallowFrom: null })
    })
    declare(newGround(bed, traits, folder))
  })
}

function newGround(bed: Bed, traits: Pick<Traits, 'afterLostAnswer' | 'made'>, folder: string): Ground {
  const { adapter } = bed
  const brokenOff: Code[] =
    traits.afterLostAnswer === 'one' ? ['destination_unreachable'] : ['destination_unreachable', 'outcome_unknown']
  // What is made of a file is waited for at the target once it has it.
  if (traits.made) brokenOff.push('destination_quota')
  let run = 0
  const newMarker = () => `0192f000-0000-7000-8000-${String(++run).padStart(12, '0')}-0`
  const step = (given: Partial<StepOptions> = {}): TestStep => {
    const marker = given.marker ?? newMarker()
    const named = 'file_name' in adapter.options.properties ? { file_name: `${marker}.bin` } : {}
    return stepFor(adapter, {
      auth: bed.auth ?? {},
      ...given,
      marker,
      options: { ...bed.options, ...named, ...given.options },
    })
  }
  const failure = async (work: Promise<unknown>): Promise<Problem> => {
    const error = await work.then(
      () => assert.fail('it was delivered'),
      (error: unknown) => error,
    )
    if (!isProblem(error)) throw error
    return error
  }

  const newFile = (bytes: number) => traits.made?.(folder) ?? randomFile(folder, bytes)
  const assertOne = async (file: MediaFile): Promise<void> => {
    const delivered = await bed.delivered()
    if (traits.made) assert.equal(delivered.length, 1)
    else assert.deepEqual(delivered, [await readFile(file.path)])
  }
  return { ...bed, step, newMarker, newFile, failure, assertOne, brokenOff, folder }
}

/** Sends a file whose connection breaks after these shares of it, and a little more. */
export async function survivesBreaks(ground: Ground, bytes: number, shares: number[], more = () => 997): Promise<void> {
  const { adapter, step, newFile, newMarker, assertOne, brokenOff } = ground
  const proxy = ground.proxy as FlakyProxy
  await ground.clear()
  const file = await newFile(bytes)
  const marker = newMarker()
  let checkpoint: JsonObject | null = null
  let breaks = 0
  for (const share of shares) {
    const broken = step({ marker, checkpoint })
    proxy.cutAfter = proxy.sent() + Math.floor(file.bytes * share + 1 + more())
    const error = await adapter.deliver(file, broken).catch((error: unknown) => error)
    // What goes on where it broke off may need no more than this.
    if (!(error instanceof Error)) break
    if (!isProblem(error, ...brokenOff)) throw error
    breaks++
    // Somebody has looked, and retries the task.
    checkpoint = error.code === 'outcome_unknown' ? null : checkpointOf(broken)
    assert.deepEqual(await ground.delivered(), [], 'nothing half-sent is to be seen')
  }
  proxy.cutAfter = null
  assert.ok(breaks >= Math.min(2, shares.length))
  await adapter.deliver(file, step({ marker, checkpoint }))
  await assertOne(file)
}

export function destinationContract(name: string, startBed: () => Promise<Bed | null>, traits: Traits): void {
  onGround(`${name} as a destination`, startBed, traits, bed => {
    const { adapter, proxy, step, newFile, failure, assertOne, brokenOff } = bed
    /** What is sent in more than one piece. */
    const some = traits.partBytes ? traits.partBytes + 1 : 400_000

    test('every option and secret is described, and unknown ones are refused', () => describesItsOptions(adapter))

    for (const bytes of traits.made ? [1] : [0, 1, 70_001, ...(traits.partBytes ? [some] : [])]) {
      test(`${bytes} bytes arrive as they are, with progress up to 1`, async () => {
        await bed.clear()
        const file = await newFile(bytes)
        const one = step()
        const result = await adapter.deliver(file, one)
        await assertOne(file)
        assert.doesNotThrow(() => JSON.stringify(result))
        if (adapter.result) assert.deepEqual(schemaErrors(adapter.result as TSchema, result), [])
        const { progress } = one.heard
        assert.deepEqual(
          progress,
          progress.toSorted((a, b) => a - b),
        )
        assert.ok(progress.length <= 110)
        assert.equal(progress.at(-1), 1)
      })
    }

    test('a second delivery of the same entry leaves exactly one file', async () => {
      await bed.clear()
      const file = await newFile(300_000)
      const first = step()
      const result = await adapter.deliver(file, first)
      // As after a kill -9 between the upload and the record of it.
      const second = step({ marker: first.marker, checkpoint: checkpointOf(first) })
      const again = await adapter.deliver(file, second).catch((error: unknown) => {
        if (traits.afterLostAnswer === 'unknown' && isProblem(error, 'outcome_unknown')) return result
        throw error
      })
      assert.deepEqual(again, result)
      await assertOne(file)
    })

    if (proxy) {
      if (!traits.isShort)
        test('cut off between its bytes, further attempts end with exactly one whole file', () =>
          survivesBreaks(bed, some, traits.partBytes ? [0.5] : [0, 0.1, 0.5, 0.99]))

      if (bed.unfinished && traits.resumes)
        test('an attempt that nobody goes on with leaves nothing at the target', async () => {
          await bed.clear()
          const file = await newFile(some)
          const broken = step()
          proxy.cutAfter = proxy.sent() + Math.floor(some / 2)
          await failure(adapter.deliver(file, broken))
          proxy.cutAfter = null
          assert.equal(await bed.unfinished?.(), 1)
          await adapter.abandon?.(step({ marker: broken.marker, checkpoint: checkpointOf(broken) }))
          assert.equal(await bed.unfinished?.(), 0)
        })

      test('a lost answer never makes a second file', async () => {
        await bed.clear()
        const file = await newFile(50_000)
        const before = proxy.sent()
        await adapter.deliver(file, step())
        const needed = proxy.sent() - before
        await bed.clear()
        const broken = step()
        // What is followed at the target takes more or fewer questions each time; the file itself is most of the bytes.
        proxy.swallowFrom = proxy.sent() + (traits.made ? Math.floor(needed / 2) : needed - 1000)
        const lost = await failure(adapter.deliver(file, broken))
        proxy.swallowFrom = null
        assert.ok(brokenOff.includes(lost.code), `${lost.code}: ${lost.message}`)
        const next = adapter.deliver(file, step({ marker: broken.marker, checkpoint: checkpointOf(broken) }))
        if (traits.afterLostAnswer === 'unknown') assert.equal((await failure(next)).code, 'outcome_unknown')
        else await next
        await assertOne(file)
      })

      test('an unreachable host is a failure that may pass, and names the host', async () => {
        await proxy.down()
        const error = await failure(adapter.deliver(await newFile(1000), step()))
        await proxy.up()
        assert.equal(error.fault, 'transient')
        assert.match(error.message, /^Could not connect to (127\.0\.0\.1|the mail server): connection refused\.$/)
      })

      test('a private host is not reached unless it is allowed', async () => {
        const before = proxy.connections()
        const error = await failure(adapter.deliver(await newFile(1000), step({ allowHosts: [] })))
        assert.equal(error.code, 'blocked_url')
        assert.equal(proxy.connections(), before)
      })
    }

    test('cancelling ends it with the reason and leaves nothing behind', async () => {
      await bed.clear()
      const cancel = new AbortController()
      const file = await newFile(traits.partBytes ? some : 2 * MiB)
      const one = step({ signal: cancel.signal })
      const progress = one.progress
      one.progress = fraction => {
        progress(fraction)
        if (fraction > 0) cancel.abort(new Error('not wanted any more'))
      }
      await assert.rejects(adapter.deliver(file, one), /not wanted any more/)
      assert.deepEqual(await bed.delivered(), [])
      await adapter.abandon?.(step({ marker: one.marker, checkpoint: checkpointOf(one) }))
      if (bed.unfinished) assert.equal(await bed.unfinished(), 0)
    })

    for (const refusal of traits.refusals) {
      test(`it fails at once with a sentence: ${refusal.title}`, async () => {
        const given = refusal.with(bed)
        const error = await failure(adapter.deliver(await newFile(1000), step(given)))
        assert.match(error.message, refusal.says)
        assert.notEqual(error.fault, 'transient')
        for (const secret of Object.values({ ...bed.auth, ...given.auth })) {
          if (typeof secret === 'string' && secret.length > 7)
            assert.ok(!error.message.includes(secret), 'a secret is in the sentence')
        }
      })
    }

    if (adapter.check) {
      test('the check is green, line by line, and leaves nothing behind', async () => {
        await bed.clear()
        const lines = await Array.fromAsync(adapter.check!(step()))
        assert.ok(lines.length >= 2)
        for (const { ok, what, detail } of lines) {
          assert.ok(ok, `${what}: ${detail}`)
          assert.match(detail, /^[A-Z0-9].*\.$/)
        }
        assert.deepEqual(await bed.delivered(), [])
      })
      for (const refusal of traits.refusals) {
        test(`the check has a red line for: ${refusal.title}`, async () => {
          const lines = await Array.fromAsync(adapter.check!(step(refusal.with(bed))))
          assert.ok(
            lines.some(({ ok, detail }) => !ok && refusal.says.test(detail)),
            JSON.stringify(lines),
          )
        })
      }
    }

    test(
      traits.retracts
        ? 'what was delivered can be taken back, also twice'
        : 'it does not pretend to take anything back',
      async () => {
        assert.equal(adapter.retract !== undefined, traits.retracts)
        if (!adapter.retract) return
        await bed.clear()
        const one = step()
        const result = await adapter.deliver(await newFile(5000), one)
        assert.equal((await bed.delivered()).length, 1)
        await adapter.retract(result, one)
        assert.deepEqual(await bed.delivered(), [])
        await adapter.retract(result, one)
      },
    )
  })
}

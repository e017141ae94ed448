// An adapter of others as the service runs it: its schemas in our form, what it throws as problems, what it returns looked at.
import { type Code, catalogue, type FieldError, Problem } from '#kit/errors.ts'
import { isObject, type JsonObject } from '#kit/json.ts'
import { MediaProblem } from '#media/file/media-problem.ts'
import type { Picture } from '#media/picture/picture.ts'
import {
  type Adapter,
  type CheckLine,
  type DeliveryStep,
  type DestinationAdapter,
  isDestination,
  type ObjectSchema,
} from './adapter.ts'
import { plainForm } from './plain-schema.ts'

/** The adapter itself stays as it is: whoever wrote it may use `this`. */
export function adopted(adapter: Adapter): Adapter {
  const schemas = {
    options: plainForm(adapter.options) as ObjectSchema,
    ...(adapter.auth && { auth: plainForm(adapter.auth) as ObjectSchema }),
    ...(adapter.template && {
      template: { ...adapter.template, schema: plainForm(adapter.template.schema) as ObjectSchema },
    }),
  }
  const own = Object.assign(Object.create(adapter) as Adapter, schemas)
  if (isDestination(adapter)) return Object.assign(own, delivering(adapter))
  const failed = (error: unknown): unknown => mediaFailure(adapter, error)
  if ('image' in adapter)
    return Object.assign(own, {
      image: tried(failed, async (picture: Picture, step: never) => {
        const made = await adapter.image(picture, step)
        if (!isPicture(made)) throw unlike('no picture')
        return made
      }),
    })
  if ('video' in adapter)
    return Object.assign(own, {
      video: tried(failed, async (...given: Parameters<typeof adapter.video>) => {
        const made: unknown = await adapter.video(...given)
        if (!isObject(made) || !('video' in made) || !('audio' in made)) throw unlike('no streams')
        return made
      }),
    })
  return Object.assign(own, {
    run: tried(failed, async (...given: Parameters<typeof adapter.run>) => {
      const made: unknown = await adapter.run(...given)
      if (!isObject(made) || typeof made.path !== 'string') throw unlike('no path of a file')
      return made
    }),
  })
}

function delivering(adapter: DestinationAdapter): Partial<DestinationAdapter> {
  const { abandon, retract, check } = adapter
  // What the service itself fails with while the adapter asks for something is the service's own.
  const ours = new WeakSet<object>()
  const failed = (error: unknown): unknown =>
    isObjectLike(error) && ours.has(error) ? error : deliveryFailure(adapter, error)
  const asked = <A extends unknown[], R>(work: (...given: A) => Promise<R>): ((...given: A) => Promise<R>) =>
    tried(error => {
      if (isObjectLike(error)) ours.add(error)
      return error
    }, work)
  const heard = <S extends Pick<DeliveryStep, 'save' | 'places'>>(step: S): S => ({
    ...step,
    save: asked(step.save),
    places: { owner: asked(step.places.owner), take: asked(step.places.take) },
  })
  return {
    deliver: tried(failed, async (input, step) => {
      const result: unknown = await adapter.deliver(input, heard(step))
      if (!isObject(result)) throw unlike('no object as the result')
      return result as JsonObject
    }),
    ...(abandon && { abandon: tried(failed, step => abandon.call(adapter, heard(step))) }),
    ...(retract && { retract: tried(failed, (result, step) => retract.call(adapter, result, heard(step))) }),
    ...(check && {
      async *check(step): AsyncGenerator<CheckLine> {
        try {
          yield* check.call(adapter, heard(step))
        } catch (error) {
          throw failed(error)
        }
      },
    }),
  }
}

const isObjectLike = (value: unknown): value is object => typeof value === 'object' && value !== null

const tried =
  <A extends unknown[], R>(failed: (error: unknown) => unknown, work: (...given: A) => Promise<R>) =>
  async (...given: A): Promise<R> => {
    try {
      return await work(...given)
    } catch (error) {
      throw failed(error)
    }
  }

const unlike = (what: string): Error => new Error(`it returned ${what}`)

/** By what is done with it next: the class itself is loaded by media processes alone. */
const isPicture = (made: unknown): boolean =>
  isObjectLike(made) && 'settle' in made && typeof made.settle === 'function' && 'frames' in made

function mediaFailure(adapter: Adapter, error: unknown): unknown {
  const problem = asProblem(error)
  if (problem) return problem
  const sentence = sentenceOf(adapter, error)
  if (sentence === null) return error
  const detail = error instanceof Error ? (error.stack ?? null) : null
  return new MediaProblem('media_failed', sentence, { detail, cause: error })
}

function deliveryFailure(adapter: Adapter, error: unknown): unknown {
  const problem = asProblem(error)
  if (problem) return problem
  const sentence = sentenceOf(adapter, error)
  return sentence === null ? error : new Problem('internal', sentence, { cause: error })
}

/** Our own, or one that is like it: a package may have been bundled with a copy of the class. */
function asProblem(error: unknown): Problem | null {
  if (error instanceof Problem) return error
  if (!(error instanceof Error) || error.name !== 'Problem') return null
  const { code, errors, retryAfterSeconds } = error as Partial<Problem>
  if (code === undefined || !Object.hasOwn(catalogue, code)) return null
  return new Problem(code as Code, error.message, {
    ...(Array.isArray(errors) && { errors: errors as FieldError[] }),
    ...(typeof retryAfterSeconds === 'number' && { retryAfterSeconds }),
    cause: error,
  })
}

/**
 * What somebody wrote to be read: a plain `Error`. What the language, the system or a library throws has words of its own, which
 * may name paths; those are for the log.
 */
function sentenceOf({ name }: Adapter, error: unknown): string | null {
  if (!(error instanceof Error) || Object.getPrototypeOf(error) !== Error.prototype || 'code' in error) return null
  const words = error.message.trim()
  if (words === '') return null
  return `The adapter "${name}" failed: ${/[.!?…]$/.test(words) ? words : `${words}.`}`
}

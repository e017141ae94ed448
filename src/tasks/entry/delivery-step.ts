// Builds the step that a destination gets: to deliver, to check a delivery, or to take one back.
import { timeZoneOf } from '#db/nouns/experience-rows.ts'
import { retryWhileAway } from '#db/retry-while-away.ts'
import type { Adapter, DeliveryStep } from '#engine/adapter.ts'
import { type RedactedStep, redactStep } from '#engine/redact-step.ts'
import { Problem } from '#kit/errors.ts'
import type { TaskServices } from '../task-services.ts'
import { pathOwnersOf } from './path-owners.ts'
import { rollsOf } from './rolls.ts'

type Given = Pick<DeliveryStep, 'options' | 'auth' | 'experienceId' | 'marker' | 'signal'> &
  Partial<Omit<DeliveryStep, 'clean' | 'conceal' | 'outbound' | 'places' | 'rolls' | 'timeZone'>>

/** Everything the adapter reports comes back without secrets. Parts that are not given are empty; reports without a receiver are dropped. */
export const deliveryStep = (
  { db, outbound }: Pick<TaskServices, 'db' | 'outbound'>,
  adapter: Adapter,
  given: Given,
): RedactedStep =>
  redactStep(adapter, {
    context: {},
    assets: () => [],
    checkpoint: null,
    save: async () => {},
    progress: () => {},
    decide: () => {},
    warn: () => {},
    picture: async () => {
      throw new Problem('internal', 'There is no picture to work on here.')
    },
    ...given,
    outbound,
    timeZone: () => retryWhileAway(() => timeZoneOf(db, given.experienceId)),
    places: pathOwnersOf(db, given.experienceId),
    rolls: rollsOf(db, given.marker),
  })

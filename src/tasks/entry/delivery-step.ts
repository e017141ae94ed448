// The step that a destination gets: for a delivery, for the check of one, and to take one back.
import type { Adapter, DeliveryStep } from '#engine/adapter.ts'
import { type Discreet, discreet } from '#engine/discreet.ts'
import type { TaskServices } from '../task-services.ts'
import { placesOf } from './places.ts'

type Given = Pick<DeliveryStep, 'options' | 'auth' | 'experienceId' | 'marker' | 'signal'> &
  Partial<Omit<DeliveryStep, 'clean' | 'conceal' | 'outbound' | 'places'>>

/** Whatever the adapter says comes back without secrets. What is not given is empty, and what it tells is not kept. */
export const deliveryStep = (
  { db, outbound }: Pick<TaskServices, 'db' | 'outbound'>,
  adapter: Adapter,
  given: Given,
): Discreet =>
  discreet(adapter, {
    context: {},
    assets: () => [],
    checkpoint: null,
    save: async () => {},
    progress: () => {},
    decide: () => {},
    warn: () => {},
    ...given,
    outbound,
    places: placesOf(db, given.experienceId),
  })

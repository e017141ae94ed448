// Which lane a task waits in, by what it has to do next: media work, with the videos or the pictures, or bringing and delivering a file.
import type { ChainInput, TaskLane } from '#db/tables.ts'
import { type Adapter, type Adapters, isDestination } from '#engine/adapter.ts'

/** What a piece of work needs: a media child, or only the network. */
export type Needs = 'media' | 'transfer'

interface Step {
  adapter_name: string
}

/** The lane for a task that begins with this chain. */
export function firstLane(
  adapters: Adapters,
  chain: { input: ChainInput; entries: readonly Step[] },
  all: readonly Step[],
): TaskLane {
  return 'url' in chain.input || !hasMedia(adapters, chain.entries) ? 'transfer' : mediaLane(adapters, all)
}

export const hasMedia = (adapters: Adapters, entries: readonly Step[]): boolean =>
  entries.some(({ adapter_name }) => {
    const adapter = adapters.get(adapter_name)
    return !adapter || !isDestination(adapter)
  })

/** Work that touches video or sound goes to the video lane, all other media work to the picture lane. */
export function mediaLane(adapters: Adapters, entries: readonly Step[]): TaskLane {
  const slow = entries.some(({ adapter_name }) => {
    const adapter = adapters.get(adapter_name)
    return adapter !== undefined && worksOnVideo(adapter)
  })
  return slow ? 'video' : 'picture'
}

/** Whether the adapter takes or makes video or sound. */
export const worksOnVideo = (adapter: Adapter): boolean =>
  !isDestination(adapter) &&
  [...adapter.accepts, adapter.makes].some(medium => medium === 'video' || medium === 'audio')

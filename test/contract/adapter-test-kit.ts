// What an author of adapters imports as `keepsake/adapter/test`: the contract suites, and what a test of one's own needs.
import type { Adapter, DestinationAdapter, FileAdapter, ImageAdapter } from '#engine/adapter.ts'
import { adopted } from '#engine/adopted.ts'
import { faultOf } from '#engine/foreign.ts'
import { type Bed, type Traits, destinationContract as testDestination } from './destination.ts'
import { type FileAdapterCase, fileAdapterContract as testFileAdapter } from './file-adapter.ts'
import { type ImageAdapterCase, imageAdapterContract as testImageAdapter } from './image-adapter.ts'
import { largeDestinationContract } from './large-destination.ts'
import type { Example } from './video-adapter.ts'

export { checkpointOf, randomFile, type StepOptions, stepFor, type TestStep } from '../support/delivery.ts'
export { type FlakyProxy, startProxy } from '../support/flaky-proxy.ts'
export { type Folder, fileOf, look, newFolder, png, psnr, run as runPictures, scene } from '../support/pictures.ts'
export type { Bed, FileAdapterCase, ImageAdapterCase, Traits }

/** The adapter as the service would run it, or an error that says why it would not start with it. */
export function asLoaded<A extends Adapter>(adapter: A): A {
  const fault = faultOf(adapter)
  if (fault !== null) throw new Error(`The adapter ${fault}.`)
  return adopted(adapter) as A
}

export const imageAdapterContract = (given: ImageAdapterCase): void =>
  testImageAdapter({ ...given, adapter: asLoaded<ImageAdapter>(given.adapter) })

/** To be awaited: ffmpeg is looked for first. */
export async function videoAdapterContract(adapter: Adapter, example: Example = {}): Promise<void> {
  const { videoAdapterContract: testVideoAdapter } = await import('./video-adapter.ts')
  testVideoAdapter(asLoaded(adapter), example)
}

export const fileAdapterContract = (given: FileAdapterCase): void =>
  testFileAdapter({ ...given, adapter: asLoaded<FileAdapter>(given.adapter) })

export function destinationContract(name: string, startBed: () => Promise<Bed | null>, traits: Traits): void {
  const asItRuns = async (): Promise<Bed | null> => {
    const bed = await startBed()
    return bed && { ...bed, adapter: asLoaded<DestinationAdapter>(bed.adapter) }
  }
  testDestination(name, asItRuns, traits)
  if (traits.large) largeDestinationContract(name, asItRuns, traits)
}

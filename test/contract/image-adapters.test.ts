// The contract suite over every image adapter that ships.
import { photoFlip } from '#adapters/transformers/photo_flip.ts'
import { pictureCases } from '../support/picture-cases.ts'
import { newFolder } from '../support/pictures.ts'
import { imageAdapterContract, refusesBadPictures } from './image-adapter.ts'

await using folder = await newFolder()

for (const { adapter, options } of await pictureCases(folder)) {
  imageAdapterContract({
    adapter,
    options,
    assets: async own => (await pictureCases(own)).find(other => other.adapter === adapter)?.assets ?? {},
  })
}

refusesBadPictures(photoFlip, { method: 'ROTATE_90' })

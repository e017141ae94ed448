// @ts-check
// photo_duotone: the contract of picture adapters, and what it does to pixels.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asLoaded, imageAdapterContract, look, newFolder, png, runPictures } from 'keepsake/adapter/test'
import { photoDuotone } from '../photo_duotone.js'

const options = { shadows: '#102030', lights: '#f0e0d0' }

imageAdapterContract({ adapter: photoDuotone, options })

test('black becomes the colour of shadows, white that of lights', async () => {
  await using folder = await newFolder()
  const data = Buffer.from([0, 0, 0, 255, 255, 255])
  const input = await folder.file('two.png', await png({ data, width: 2, height: 1, channels: 3 }))
  const { output } = await runPictures(folder, input, [{ adapter: asLoaded(photoDuotone), options }])
  assert.deepEqual([...(await look(output.path)).data], [0x10, 0x20, 0x30, 0xf0, 0xe0, 0xd0])
})

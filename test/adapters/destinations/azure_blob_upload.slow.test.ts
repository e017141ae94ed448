// azure_blob_upload with large files against Azurite, Microsoft's emulator.
import { after } from 'node:test'
import { largeDestinationContract } from '../../contract/large-destination.ts'
import { startAzurite } from '../../support/azurite.ts'
import { azureBed } from '../../support/beds.ts'

const azurite = await startAzurite()
after(() => azurite.stop())

largeDestinationContract('azure_blob_upload', () => azureBed(azurite), {
  afterLostAnswer: 'one',
  resumes: true,
  // Three blocks.
  underWay: 24 * 1024 ** 2,
})

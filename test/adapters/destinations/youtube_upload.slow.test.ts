// youtube_upload with large files against Google's public protocol.
import { after } from 'node:test'
import { largeDestinationContract } from '../../contract/large-destination.ts'
import { newGoogle, youtubeBed } from '../../support/beds.ts'

const google = await newGoogle()
after(() => google.stop())

largeDestinationContract('youtube_upload', () => youtubeBed(google), {
  afterLostAnswer: 'one',
  resumes: true,
  // A chunk.
  underWay: 16 * 1024 ** 2,
})

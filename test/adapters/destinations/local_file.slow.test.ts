// local_file with large files.
import { largeDestinationContract } from '../../contract/large-destination.ts'
import { localBed } from '../../support/beds.ts'

largeDestinationContract('local_file', localBed, { afterLostAnswer: 'one', resumes: false })

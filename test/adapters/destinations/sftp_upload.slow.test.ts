// sftp_upload with large files against a real SFTP server.
import { largeDestinationContract } from '../../contract/large-destination.ts'
import { sftpBed } from '../../support/beds.ts'

largeDestinationContract('sftp_upload', sftpBed, {
  afterLostAnswer: 'one',
  resumes: true,
  // No write is further ahead of one that is not confirmed.
  underWay: 1024 ** 2,
})

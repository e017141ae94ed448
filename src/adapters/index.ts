// The list of adapters: the transformers, and one line for each destination.
import type { Adapter, Adapters } from '#engine/adapter.ts'
import { azureBlobUpload } from './destinations/azure_blob_upload.ts'
import { emailSend } from './destinations/email_send.ts'
import { gcsUpload } from './destinations/gcs_upload.ts'
import { httpPost } from './destinations/http_post.ts'
import { localFile } from './destinations/local_file.ts'
import { messageSend } from './destinations/message_send.ts'
import { printIpp } from './destinations/print_ipp.ts'
import { s3Upload } from './destinations/s3_upload.ts'
import { sftpUpload } from './destinations/sftp_upload.ts'
import { youtubeUpload } from './destinations/youtube_upload.ts'
import { transformers } from './transformers.ts'

const destinations = (localRoot: string | null): Adapter[] => [
  azureBlobUpload,
  emailSend,
  gcsUpload,
  httpPost,
  localFile(localRoot),
  messageSend,
  printIpp,
  s3Upload,
  sftpUpload,
  youtubeUpload,
]

/** All of them, with what destinations need to know of this machine. */
export const adapterList = ({ localRoot }: { localRoot: string | null }): Adapters =>
  new Map([...transformers, ...destinations(localRoot).map((adapter): [string, Adapter] => [adapter.name, adapter])])

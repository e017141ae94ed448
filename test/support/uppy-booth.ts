// Runs in a browser: what a page of a booth does to upload a file with Uppy.
import Uppy from '@uppy/core'
import Tus from '@uppy/tus'

declare global {
  var uploadWithUppy: (booth: Booth) => Promise<string>
}

interface Booth {
  endpoint: string
  token: string
  bytes: number
  chunkSize: number
}

/** Uploads as many bytes, each the last digits of its place, and answers the URL of the upload. */
globalThis.uploadWithUppy = async ({ endpoint, token, bytes, chunkSize }) => {
  const uppy = new Uppy().use(Tus, {
    endpoint,
    chunkSize,
    headers: { authorization: `Bearer ${token}` },
    retryDelays: Array.from({ length: 200 }, () => 300),
  })
  const data = new Blob([Uint8Array.from({ length: bytes }, (_, place) => place % 251)], { type: 'video/mp4' })
  uppy.addFile({ name: 'clip 7 é.mp4', type: 'video/mp4', data })
  const result = await uppy.upload()
  const [failed] = result?.failed ?? []
  if (failed) throw new Error(String(failed.error))
  return result?.successful?.[0]?.uploadURL ?? ''
}

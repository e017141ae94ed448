// A store that speaks enough of S3 for `s3_upload` and can be told to fail, refuse or hang; it keeps count of everything.
import { createHash, randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { type Received, startReceiver } from './https-receiver.ts'

/** What happens to an upload: stored, answered with an error, or (`hang`) left without an answer. */
export type Mood = 'fine' | 'busy' | 'refuse' | 'lost_answer' | 'hang'

export interface Destination {
  url: string
  /** Key to SHA-256 of the bytes, as they are now. */
  objects: Map<string, string>
  /** Every whole upload that was stored, in order: a key twice is a second upload. */
  stored: { key: string; sha256: string }[]
  /** The bytes of each SHA-256, where they are kept. */
  contents: Map<string, Buffer>
  /** Requests that came in, whatever became of them. */
  requests(): number
  /** Uploads in parts that were neither completed nor aborted. */
  openUploads(): number
  /** Asked for every upload. */
  mood: (key: string) => Mood
  stop(): Promise<void>
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

export async function startDestination({ keepBytes = false } = {}): Promise<Destination> {
  const uploads = new Map<string, { key: string; parts: Map<number, Buffer> }>()
  const hanging = new Set<ServerResponse>()

  const xml = (response: ServerResponse, status: number, body: string): ServerResponse =>
    response.writeHead(status, { 'content-type': 'application/xml' }).end(`<?xml version="1.0"?>${body}`)

  function store(key: string, bytes: Buffer): void {
    const sum = sha256(bytes)
    destination.objects.set(key, sum)
    destination.stored.push({ key, sha256: sum })
    if (keepBytes) destination.contents.set(sum, bytes)
  }

  function answer({ method, url, body }: Received, response: ServerResponse): unknown {
    const { pathname, searchParams } = new URL(url, 'http://s3')
    const key = decodeURIComponent(pathname.replace(/^\/[^/]+\//, ''))
    const uploadId = searchParams.get('uploadId')
    if (method === 'DELETE' && uploadId !== null) {
      uploads.delete(uploadId)
      return response.writeHead(204).end()
    }
    if (method === 'DELETE') {
      destination.objects.delete(key)
      return response.writeHead(204).end()
    }
    if (method === 'POST' && searchParams.has('uploads')) {
      const id = randomUUID()
      uploads.set(id, { key, parts: new Map() })
      return xml(
        response,
        200,
        `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      )
    }
    if (method === 'GET' && searchParams.has('uploads')) {
      const prefix = searchParams.get('prefix') ?? ''
      const list = [...uploads].filter(([, upload]) => upload.key.startsWith(prefix))
      const lines = list.map(([id, upload]) => `<Upload><Key>${upload.key}</Key><UploadId>${id}</UploadId></Upload>`)
      return xml(response, 200, `<ListMultipartUploadsResult>${lines.join('')}</ListMultipartUploadsResult>`)
    }
    if (method === 'GET' && uploadId !== null) {
      const upload = uploads.get(uploadId)
      if (!upload) return xml(response, 404, '<Error><Code>NoSuchUpload</Code><Message>Gone</Message></Error>')
      const lines = [...upload.parts].map(
        ([number, bytes]) =>
          `<Part><PartNumber>${number}</PartNumber><ETag>"${sha256(bytes).slice(0, 32)}"</ETag><Size>${bytes.length}</Size></Part>`,
      )
      return xml(response, 200, `<ListPartsResult>${lines.join('')}</ListPartsResult>`)
    }
    const mood = destination.mood(key)
    if (mood === 'hang') return hanging.add(response)
    if (mood === 'busy') return xml(response, 503, '<Error><Code>SlowDown</Code><Message>Slow down</Message></Error>')
    if (mood === 'refuse')
      return xml(response, 403, '<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>')
    if (uploadId === null) store(key, body)
    else {
      const parts = uploads.get(uploadId)?.parts
      if (!parts) return xml(response, 404, '<Error><Code>NoSuchUpload</Code><Message>Gone</Message></Error>')
      if (method === 'PUT') parts.set(Number(searchParams.get('partNumber')), body)
      else {
        store(key, Buffer.concat([...parts].sort(([a], [b]) => a - b).map(([, bytes]) => bytes)))
        uploads.delete(uploadId)
      }
    }
    if (mood === 'lost_answer') return response.destroy()
    if (method === 'POST') return xml(response, 200, '<CompleteMultipartUploadResult></CompleteMultipartUploadResult>')
    return response.writeHead(200, { etag: `"${sha256(body).slice(0, 32)}"` }).end()
  }

  const receiver = await startReceiver({
    answer: (request, response) => {
      answer(request, response)
      request.body = Buffer.alloc(0) // Thousands of files would pile up.
    },
  })
  const destination: Destination = {
    url: receiver.url,
    objects: new Map(),
    stored: [],
    contents: new Map(),
    requests: () => receiver.received.length,
    openUploads: () => uploads.size,
    mood: () => 'fine',
    async stop() {
      for (const response of hanging) response.destroy()
      await receiver.stop()
    },
  }
  return destination
}

// Google's upload protocol as its public documentation describes it: tokens, resumable sessions, Cloud Storage, YouTube.
import { verify } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { startReceiver } from './https-receiver.ts'

interface Session {
  total: number
  chunks: Buffer[]
  received: number
  about: Record<string, unknown>
  /** Makes the object or the video once all bytes are there. */
  finish(bytes: Buffer): object
  made: object | null
}

export interface StoredObject {
  bytes: Buffer
  contentType: string
  contentDisposition?: string
  acl?: string
}

export interface StoredVideo {
  id: string
  bytes: Buffer
  snippet: Record<string, unknown>
  status: Record<string, unknown>
  thumbnail?: Buffer
}

export interface FakeGoogle {
  url: string
  port: number
  /** Keys are `BUCKET/NAME`. */
  objects: Map<string, StoredObject>
  buckets: Map<string, { refusesAcls: boolean }>
  videos: Map<string, StoredVideo>
  playlist: string[]
  /** Requests that are answered this way in place of the real answer, by `METHOD path` and for so many times. */
  failures: { when: RegExp; status: number; body?: object; times: number }[]
  /** Every `METHOD path` so far. */
  log: string[]
  /** Makes all tokens given out so far worthless. */
  expireTokens(): void
  forgetSessions(): void
  /** What tokens allow; empty: they don't say. */
  scope: string
  /** YouTube stores every video like this. */
  lockedTo: string | null
  stop(): Promise<void>
}

const quarterMiB = 256 * 1024
/** Above this only the length is kept. */
const keepBytes = 100 * 2 ** 20

export const googleError = (reason: string, message: string) => ({
  error: { code: 403, message, errors: [{ message, domain: 'youtube.quota', reason }] },
})

export async function startGoogle(account: {
  publicKey: string
  email: string
  clientSecret: string
  refreshToken: string
}): Promise<FakeGoogle> {
  const sessions = new Map<string, Session>()
  let tokens = 0
  let oldest = 1
  let ids = 0

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', `http://${request.headers.host}`)
    const line = `${request.method} ${url.pathname}`
    google.log.push(line)
    const json = (status: number, body: object, headers = {}) => {
      if (!request.readableEnded) request.resume()
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    }
    const failure = google.failures.find(({ when, times }) => times > 0 && when.test(line))
    if (failure) {
      failure.times--
      await drain(request)
      return json(failure.status, failure.body ?? {})
    }
    if (url.pathname === '/token') return json(...(await giveToken(new URLSearchParams(await text(request)))))
    const shown = google.objects.get(decodeURIComponent(url.pathname.slice(1)))
    if (shown && request.headers.authorization === undefined)
      return void response.writeHead(shown.acl === 'publicRead' ? 200 : 403).end(shown.acl ? shown.bytes : '')
    const token = Number(/^Bearer token-(\d+)$/.exec(request.headers.authorization ?? '')?.[1] ?? 0)
    if (token < oldest) {
      await drain(request)
      return json(401, { error: { code: 401, message: 'Invalid Credentials' } })
    }
    const id = url.searchParams.get('upload_id')
    if (request.method === 'PUT' && id !== null) return putSession(request, response, sessions.get(id))
    const bucket = /^\/upload\/storage\/v1\/b\/([^/]+)\/o$/.exec(url.pathname)?.[1]
    if (bucket !== undefined) return uploadObject(request, url, bucket, json)
    const object = /^\/storage\/v1\/b\/([^/]+)\/o\/(.+)$/.exec(url.pathname)
    if (object) return objectAt(request, response, `${object[1]}/${decodeURIComponent(object[2] ?? '')}`, json)
    return youtube(request, url, json)
  }

  async function giveToken(form: URLSearchParams): Promise<[number, object]> {
    if (form.get('grant_type') === 'refresh_token') {
      if (form.get('client_secret') !== account.clientSecret)
        return [401, { error: 'invalid_client', error_description: 'The OAuth client was not found.' }]
      if (form.get('refresh_token') !== account.refreshToken)
        return [400, { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' }]
    } else {
      const [head = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.')
      const fits = verify(
        'RSA-SHA256',
        Buffer.from(`${head}.${claims}`),
        account.publicKey,
        Buffer.from(signature, 'base64url'),
      )
      const { iss, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iss: string; exp: number }
      if (!fits || iss !== account.email || exp < Date.now() / 1000)
        return [400, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' }]
    }
    return [200, { access_token: `token-${++tokens}`, expires_in: 3600, token_type: 'Bearer', scope: google.scope }]
  }

  type Reply = (status: number, body: object, headers?: object) => void

  function begin(
    request: IncomingMessage,
    url: URL,
    about: Record<string, unknown>,
    finish: Session['finish'],
    json: Reply,
  ): void {
    const id = `session-${++ids}`
    sessions.set(id, {
      total: Number(request.headers['x-upload-content-length']),
      chunks: [],
      received: 0,
      about,
      finish,
      made: null,
    })
    json(200, {}, { location: `${url.origin}${url.pathname}?uploadType=resumable&upload_id=${id}` })
  }

  async function putSession(
    request: IncomingMessage,
    response: ServerResponse,
    session: Session | undefined,
  ): Promise<void> {
    const reply = (status: number, body: object | null, headers = {}) =>
      void response.writeHead(status, headers).end(body === null ? undefined : JSON.stringify(body))
    const range = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+)$/.exec(request.headers['content-range'] ?? '')
    if (!session || !range) {
      await drain(request)
      return reply(session ? 400 : 404, {})
    }
    const start = range[1] === undefined ? session.received : Number(range[1])
    if (start !== session.received) {
      await drain(request)
      return reply(503, {})
    }
    let whole = false
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) {
        session.received += chunk.length
        if (session.total <= keepBytes) session.chunks.push(chunk)
      }
      whole = true
    } catch {
      // The connection broke: full quarters of a mebibyte are kept, as Google does.
    }
    if (!whole) {
      const kept = session.received - (session.received % quarterMiB)
      const bytes = Buffer.concat(session.chunks).subarray(0, kept)
      session.chunks = [bytes]
      session.received = kept
      return
    }
    if (session.received < session.total)
      return reply(308, null, session.received > 0 ? { range: `bytes=0-${session.received - 1}` } : {})
    session.made ??= session.finish(Buffer.concat(session.chunks))
    reply(200, session.made, { 'content-type': 'application/json' })
  }

  async function uploadObject(request: IncomingMessage, url: URL, bucket: string, json: Reply): Promise<void> {
    const rules = google.buckets.get(bucket)
    const body = Buffer.from(await text(request))
    if (!rules) return json(404, { error: { code: 404, message: 'The specified bucket does not exist.' } })
    const acl = url.searchParams.get('predefinedAcl') ?? undefined
    if (acl && rules.refusesAcls)
      return json(400, {
        error: {
          code: 400,
          message: 'Cannot insert legacy ACL for an object when uniform bucket-level access is enabled.',
        },
      })
    const name = `${bucket}/${url.searchParams.get('name')}`
    const store = (bytes: Buffer, about: Record<string, unknown>) => {
      google.objects.set(name, {
        bytes,
        contentType: String(about.contentType ?? request.headers['content-type']),
        ...(acl && { acl }),
        ...(about.contentDisposition ? { contentDisposition: String(about.contentDisposition) } : {}),
      })
      return { kind: 'storage#object', name }
    }
    if (url.searchParams.get('uploadType') === 'media') return json(200, store(body, {}))
    const about = JSON.parse(body.toString()) as Record<string, unknown>
    begin(request, url, about, bytes => store(bytes, about), json)
  }

  function objectAt(request: IncomingMessage, response: ServerResponse, name: string, json: Reply): void {
    const object = google.objects.get(name)
    if (!object) {
      json(404, { error: { code: 404, message: 'No such object' } })
      return
    }
    if (request.method === 'DELETE') {
      google.objects.delete(name)
      response.writeHead(204).end()
    } else response.writeHead(200, { 'content-type': object.contentType }).end(object.bytes)
  }

  async function youtube(request: IncomingMessage, url: URL, json: Reply): Promise<void> {
    const query = url.searchParams
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>))
    if (url.pathname === '/upload/youtube/v3/videos') {
      const about = JSON.parse(body.toString()) as { snippet: Record<string, unknown>; status: Record<string, unknown> }
      const finish = (bytes: Buffer) => {
        const id = `video-${++ids}`
        const status = { ...about.status, ...(google.lockedTo && { privacyStatus: google.lockedTo }) }
        google.videos.set(id, {
          id,
          bytes,
          snippet: { ...about.snippet, notify: query.get('notifySubscribers') },
          status,
        })
        return { kind: 'youtube#video', id, snippet: about.snippet, status }
      }
      return begin(request, url, about, finish, json)
    }
    if (url.pathname === '/upload/youtube/v3/thumbnails/set') {
      const video = google.videos.get(query.get('videoId') ?? '')
      if (video) video.thumbnail = body
      return json(video ? 200 : 404, {})
    }
    if (url.pathname === '/youtube/v3/videos' && request.method === 'DELETE')
      return json(google.videos.delete(query.get('id') ?? '') ? 200 : 404, {})
    if (url.pathname === '/youtube/v3/channels')
      return json(200, {
        items: [{ id: 'UC1', snippet: { title: 'Souvenirs' }, status: { longUploadsStatus: 'allowed' } }],
      })
    if (url.pathname === '/youtube/v3/playlists')
      return json(200, { items: query.get('id') === 'PL1' ? [{ id: 'PL1' }] : [] })
    if (url.pathname === '/youtube/v3/playlistItems') {
      if (request.method === 'GET')
        return json(200, { items: google.playlist.filter(id => id === query.get('videoId')).map(id => ({ id })) })
      const { snippet } = JSON.parse(body.toString()) as {
        snippet: { playlistId: string; resourceId: { videoId: string } }
      }
      if (snippet.playlistId !== 'PL1')
        return json(404, googleError('playlistNotFound', 'The playlist cannot be found.'))
      google.playlist.push(snippet.resourceId.videoId)
      return json(200, {})
    }
    json(404, { error: { code: 404, message: 'Not Found' } })
  }

  const receiver = await startReceiver({
    raw: (request, response) => void handle(request, response).catch(() => response.destroy()),
  })
  const google: FakeGoogle = {
    url: receiver.url,
    port: receiver.port,
    objects: new Map(),
    buckets: new Map(),
    videos: new Map(),
    playlist: [],
    failures: [],
    log: [],
    expireTokens() {
      oldest = tokens + 1
    },
    forgetSessions: () => sessions.clear(),
    scope: 'https://www.googleapis.com/auth/youtube https://www.googleapis.com/auth/youtube.upload',
    lockedTo: null,
    stop: receiver.stop,
  }
  return google
}

async function drain(request: IncomingMessage): Promise<void> {
  for await (const _ of request);
}

// /wall/: a screen full of what guests made. There is no token: a key opens it.
import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { readGuestLogo } from '#db/nouns/asset-files.ts'
import type { OpenedWall } from '#db/nouns/wall-rows.ts'
import { qrSvg } from '#guests/link-code.ts'
import { openWall, wallFile } from '#guests/wall.ts'
import { newWalls, type WallItem, type Walls } from '#guests/wall-board.ts'
import { Problem } from '#kit/errors.ts'
import { publicUrlOf } from '#kit/settings.ts'
import { Input } from '../contract/shapes.ts'
import { isShownAsItIs } from '../guest/guest-html.ts'
import { versionOf } from '../guest/version-of.ts'
import { asProblem, sendProblem } from '../hooks/problem-answer.ts'
import type { Context, Resource } from '../route/route.ts'
import { openEventStream } from '../wire/event-stream.ts'
import { sendScreenPicture, sideOf, size } from '../wire/screen-picture.ts'
import { fileAnswers, fileHeaders, sendBlob } from '../wire/send-file.ts'
import { sendLogo } from '../wire/send-logo.ts'
import { newStreamPlaces } from '../wire/stream-places.ts'
import { wallFiles } from './wall-files.ts'
import { lookOf, plainWallHtml, wallHtml } from './wall-html.ts'

const tags = ['Guests']
/** Of one key, and of all. */
const MOST_STREAMS = 20
const MOST_STREAMS_OF_ALL = 1_000
/** A screen keeps a picture for minutes, so that a wall goes on while the network is away; a shared cache never. */
const CACHE = 'private, max-age=600'
/** A screen that hears nothing for some of these connects again. */
const BEAT_MS = 10_000
/** After how long a page asks again by itself. */
const BACK_SECONDS = 5

const params = Type.Object({ experience_id: Type.String({ description: 'The id of the experience.' }) })
const key = {
  key: Type.Optional(Type.String({ description: 'The key of the wall.' })),
}
const query = Input(key)
const page = (description: string) => ({ description, content: { 'text/html': { schema: { type: 'string' } } } })

export const wallPages: Resource = (app, services) => {
  const { db, blobs, settings, misses } = services
  const walls = newWalls(services)
  const streams = newStreamPlaces({ ofOne: MOST_STREAMS, ofAll: MOST_STREAMS_OF_ALL })
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort())
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({ 'cache-control': 'private, no-cache', 'x-robots-tag': 'noindex, nofollow' })
  })

  /** The wall that the key opens. A wrong key, none, and another experience get the same answer after the same work. */
  async function opened(request: FastifyRequest): Promise<OpenedWall> {
    const { experience_id } = request.params as { experience_id: string }
    const wall = await openWall(db, experience_id, (request.query as { key?: string }).key ?? '')
    if (wall) return wall
    const wait = misses.count(services.addressOf(request))
    if (wait > 0)
      throw new Problem('too_many_requests', 'Too many keys that open nothing came from your address.', {
        retryAfterSeconds: wait,
      })
    throw new Problem('not_found', 'There is no such wall, or the key does not open it.')
  }

  const config = { scope: null, problems: ['not_found', 'too_many_requests'] } as const
  for (const [name, { type, text }] of Object.entries(wallFiles))
    app.get(`/wall/-/${name}`, { config: { scope: null }, schema: { hide: true } }, async (_request, reply) =>
      reply
        .headers({
          // A screen that loads itself anew must get those of now.
          'cache-control': 'public, no-cache',
          // The worker serves all walls, not only what lies beside it, and asks for them itself.
          'service-worker-allowed': '/wall/',
          'content-security-policy': `default-src 'none'; connect-src ${publicUrlOf(settings)}/wall/`,
        })
        .type(type)
        .send(text),
    )
  app.get(
    '/wall/:experience_id',
    {
      config,
      schema: {
        tags,
        operationId: 'readWall',
        summary: 'The wall of an experience',
        description: 'A page for a large screen: what guests made, the newest first, as it is made.',
        params,
        querystring: query,
        response: { 200: page('The page.'), 404: page('There is no such wall, or the key does not open it.') },
      },
      // People get a page, programs a problem. A screen that nobody attends asks again by itself.
      errorHandler(error, request, reply) {
        const problem = asProblem(error)
        const isPage = request.headers.accept?.includes('text/html')
        if (isPage && problem.status === 404) return void sendPage(reply.code(404), plainWallHtml('closed'))
        if (!isPage || ![429, 503].includes(problem.status)) return void sendProblem(request, reply, problem)
        const seconds = problem.retryAfterSeconds ?? BACK_SECONDS
        return void sendPage(
          (reply as FastifyReply).code(problem.status).headers({ refresh: seconds, 'retry-after': seconds }),
          plainWallHtml('away'),
        )
      },
    },
    async (request, reply) => {
      const wall = await opened(request)
      const hasLogo = (await logoOf(wall)) !== undefined
      return sendPage(reply, wallHtml(wall, request.query.key ?? '', hasLogo))
    },
  )

  const logoOf = ({ experience_id, guest_page }: OpenedWall) =>
    readGuestLogo(db, experience_id, guest_page?.logo_file_name ?? null)

  /** Only what lies below /wall/ may be loaded. */
  function sendPage(reply: FastifyReply, text: string): FastifyReply {
    const below = `${publicUrlOf(settings)}/wall/`
    const nonce = randomBytes(12).toString('base64')
    const policy = [
      "default-src 'none'",
      `script-src ${below}-/wall.js`,
      `worker-src ${below}-/away.js`,
      `style-src ${below}-/wall.css 'nonce-${nonce}'`,
      `img-src ${below} data:`,
      `media-src ${below}`,
      `connect-src ${below}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]
    return reply
      .header('content-security-policy', policy.join('; '))
      .type('text/html; charset=utf-8')
      .send(text.replace('<style>', `<style nonce="${nonce}">`))
  }

  app.get(
    '/wall/:experience_id/qr.svg',
    {
      config,
      schema: {
        tags,
        operationId: 'readWallQr',
        summary: 'The QR code of a wall',
        description: 'Of the address that `guest_page.wall_url` holds.',
        params,
        querystring: query,
        response: {
          200: {
            description: 'The picture.',
            content: { 'image/svg+xml': { schema: { type: 'string', format: 'binary' } } },
          },
        },
      },
    },
    async (request, reply) => {
      const { guest_page } = await opened(request)
      if (!guest_page?.wall_url) throw new Problem('not_found', 'The wall has no QR code.')
      return (reply as FastifyReply).type('image/svg+xml').send(await qrSvg(guest_page.wall_url))
    },
  )
  app.get(
    '/wall/:experience_id/logo',
    {
      config,
      schema: {
        tags,
        operationId: 'readWallLogo',
        summary: 'The logo of a wall',
        params,
        querystring: query,
        response: fileAnswers,
      },
    },
    async (request, reply) => {
      const wall = await opened(request)
      return sendLogo(reply, services, await logoOf(wall), wall.experience_id)
    },
  )
  app.get(
    '/wall/:experience_id/file/:wall_id',
    {
      config: { ...config, problems: [...config.problems, 'bad_range', 'gone'] },
      schema: {
        tags,
        operationId: 'downloadWallFile',
        summary: 'A picture or video of a wall',
        description: 'With range requests. What is not on the wall now, or not any more, is not found.',
        params: Type.Object({
          ...params.properties,
          wall_id: Type.String({ description: 'The id that the events of the wall tell.' }),
        }),
        headers: fileHeaders,
        querystring: Input({
          ...key,
          size,
          v: Type.Optional(
            Type.String({ maxLength: 64, description: 'Which file it is: what a browser keeps is of this one.' }),
          ),
        }),
        response: fileAnswers,
      },
    },
    async (request, reply) => {
      const wall = await opened(request)
      const source = await wallFile(db, wall, request.params.wall_id, settings)
      const side = sideOf(request.query)
      return side
        ? sendScreenPicture(reply, services, { source, side, experience_id: wall.experience_id, cache: CACHE })
        : sendBlob(reply, blobs, source.file)
    },
  )
  app.get(
    '/wall/:experience_id/events',
    {
      config: { ...config, problems: [...config.problems, 'full'] },
      schema: {
        tags,
        operationId: 'followWall',
        summary: 'What happens on a wall, as it happens',
        description:
          '`state` with all that is on the wall, `changed` with what came (`added`) and went (`removed`), `beat` now and then, `gone` when the key was revoked.',
        params,
        querystring: query,
        response: { 200: { description: 'Events.', content: { 'text/event-stream': { schema: { type: 'string' } } } } },
      },
    },
    async (request, reply) => {
      const wall = await opened(request)
      const place = streams.take(wall.key_id)
      await follow(services, walls, { request, reply, closing: closing.signal, place, wall })
    },
  )
}

interface Following {
  request: FastifyRequest
  reply: FastifyReply
  closing: AbortSignal
  place: Disposable
  wall: OpenedWall
}

/** Until the screen or its key is gone. */
async function follow(context: Context, walls: Walls, { wall, ...reader }: Following): Promise<void> {
  using stream = openEventStream(context, { ...reader, look: async () => true })
  const ended = Promise.withResolvers<void>()
  if (stream.gone.aborted) return
  stream.gone.addEventListener('abort', () => ended.resolve())
  const beats = setInterval(() => stream.send('beat', {}), BEAT_MS)
  try {
    using _joined = walls.join(wall.experience_id, {
      keyId: wall.key_id,
      state: (experience, items) => stream.send('state', { look: lookOf(experience), items: items.map(told) }),
      changed: (added, removed) => stream.send('changed', { added: added.map(told), removed }),
      end() {
        stream.send('gone', {})
        ended.resolve()
      },
    })
    await ended.promise
  } finally {
    clearInterval(beats)
  }
}

/** Nothing that leads to the page of the guest. */
const told = ({ wall_id, accepted_at, file }: WallItem) => ({
  id: wall_id,
  at: accepted_at.getTime(),
  medium: file.medium,
  width: file.width ?? null,
  height: file.height ?? null,
  version: versionOf(file),
  as_it_is: file.medium === 'video' || isShownAsItIs(file),
})

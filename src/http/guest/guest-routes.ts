// /k/: the pages of guests. There is no token: the code is the key.
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { readGuestLogo } from '#db/nouns/asset-files.ts'
import { takenBack } from '#erasures/erasures.ts'
import { isOver, linkTo, type OpenedKeepsake, openFile, openPage } from '#guests/keepsakes.ts'
import { qrPng, qrSvg } from '#guests/link-code.ts'
import { pageState } from '#guests/page-state.ts'
import { shareLink } from '#guests/view-codes.ts'
import { CONFIRMED_SECONDS, confirmVisit, isNameLike, visitLink, visitOf } from '#guests/visits.ts'
import { Problem } from '#kit/errors.ts'
import { plainGuestPage } from '#kit/guest/guest-page.ts'
import { publicUrlOf } from '#kit/settings.ts'
import { Input } from '../contract/shapes.ts'
import type { Resource } from '../route/route.ts'
import { sendScreenPicture, sideOf, size } from '../wire/screen-picture.ts'
import { fileAnswers, fileHeaders, sendBlob } from '../wire/send-file.ts'
import { sendLogo } from '../wire/send-logo.ts'
import { newStreamPlaces } from '../wire/stream-places.ts'
import { eraseRoutes, FORM_BYTES } from './erase-routes.ts'
import { answerGuestErrors, isPerson, sendGuestPage } from './guest-answers.ts'
import { follow, MOST_STREAMS, MOST_STREAMS_OF_ALL } from './guest-events.ts'
import { SCRIPT, STYLE } from './guest-files.ts'
import { type GuestHtml, guestHtml, mainHtml } from './guest-html.ts'
import type { ShownVisit } from './guest-visit-html.ts'
import { versionOf } from './version-of.ts'

const tags = ['Guests']

const COOKIE = 'visit'
const NUMBER = /^\d{1,9}$/

const params = Type.Object({ code: Type.String({ description: 'The code of the keepsake.' }) })
const fileParams = Type.Object({
  ...params.properties,
  number: Type.String({ pattern: '^[0-9]{1,9}$', description: 'The number of the file, from 0.', expects: 'a number' }),
})
const html = (description: string) => ({ description, content: { 'text/html': { schema: { type: 'string' } } } })
const pages = {
  200: html('The page.'),
  404: html('There is no such keepsake.'),
  410: html('Its time is over.'),
}

export const guestPages: Resource = (app, services) => {
  const { db, blobs, settings, misses } = services
  const streams = newStreamPlaces({ ofOne: MOST_STREAMS, ofAll: MOST_STREAMS_OF_ALL })
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort())
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({ 'cache-control': 'private, no-cache', 'x-robots-tag': 'noindex, nofollow' })
  })

  answerGuestErrors(app, settings)
  const sendPage = (reply: FastifyReply, text: string): FastifyReply => sendGuestPage(settings, reply, text)

  /** The keepsake of a code. Nothing tells how near a wrong code is to a right one. */
  async function opened(request: FastifyRequest, code: string): Promise<OpenedKeepsake> {
    return letIn(request, code, await openPage(db, code))
  }

  async function letIn(
    request: FastifyRequest,
    code: string,
    row: OpenedKeepsake | undefined,
  ): Promise<OpenedKeepsake> {
    if (row) {
      request.guestPage = row.guest_page
      if (row.erased_at) throw await takenBack(services, code)
      if (isOver(row, settings)) throw new Problem('gone', 'The time of this keepsake is over.')
      return row
    }
    const wait = misses.count(services.addressOf(request))
    if (wait > 0)
      throw new Problem('too_many_requests', 'Too many codes that open nothing came from your address.', {
        retryAfterSeconds: wait,
      })
    throw new Problem('not_found', 'There is no such keepsake.')
  }

  async function fileOf(request: FastifyRequest, code: string, number: string) {
    // Names in paths are not held against their schemas: what is unknown is not found.
    const opened = await openFile(db, code, NUMBER.test(number) ? Number(number) : -1)
    const row = await letIn(request, code, opened?.row)
    if (!opened?.found) throw new Problem('not_found', 'There is no such file, or it is not ready yet.')
    return { row, ...opened.found }
  }

  const open = { scope: null, problems: ['not_found', 'gone', 'too_many_requests'] } as const
  app.get('/k/page.css', { config: { scope: null }, schema: { hide: true } }, async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=3600').type('text/css; charset=utf-8').send(STYLE),
  )
  app.get('/k/page.js', { config: { scope: null }, schema: { hide: true } }, async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=3600').type('text/javascript; charset=utf-8').send(SCRIPT),
  )
  app.get(
    '/k/:code',
    {
      config: open,
      schema: {
        tags,
        operationId: 'readGuestPage',
        summary: 'The page of a guest',
        params,
        querystring: Input({
          part: Type.Optional(Type.Enum(['main'], { description: 'Only the part that changes, for the page itself.' })),
        }),
        response: pages,
      },
    },
    async (request, reply) => {
      const { code } = request.params
      const row = await opened(request, code)
      const shown = await shownPage(row, code, proofOf(request))
      return sendPage(reply, request.query.part === 'main' ? mainHtml(shown) : guestHtml(shown))
    },
  )

  async function shownPage(
    row: OpenedKeepsake,
    code: string,
    proof: string | null,
    said: ShownVisit['said'] = null,
  ): Promise<GuestHtml> {
    const [state, logo, share, visit] = await Promise.all([
      pageState(db, row.keepsake_id),
      logoOf(row),
      shareLink(services, row, code),
      visitOf(services, row, proof),
    ])
    const links: string[] = []
    for (const other of visit?.others ?? []) links.push(await visitLink(services, other))
    const hasLogo = logo !== undefined
    return { url: linkTo(settings, code), share, row, state, hasLogo, visit: visit && { visit, links, said } }
  }

  const logoOf = ({ experience_id, guest_page }: OpenedKeepsake) =>
    readGuestLogo(db, experience_id, guest_page?.logo_file_name ?? null)

  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: FORM_BYTES },
    async (_request: unknown, body: string) => Object.fromEntries(new URLSearchParams(body)),
  )
  app.post(
    '/k/:code',
    {
      bodyLimit: FORM_BYTES,
      config: { ...open, problems: [...open.problems, 'forbidden', 'wrong_content_type', 'too_large'] },
      schema: {
        tags,
        operationId: 'confirmGuestVisit',
        summary: 'Show all of a visit',
        description:
          'Says what the guest is known by, as a form or JSON. If it is right, the page shows the other keepsakes of the same guest, for an hour. 5 tries an hour.',
        params,
        body: Input({
          value: Type.String({ description: 'An e-mail address, or a code that the guest wears.' }),
        }),
        response: { ...pages, 403: html('The guest is not known by this.'), 429: html('There were too many tries.') },
      },
    },
    async (request, reply) => {
      const { code } = request.params
      const row = await opened(request, code)
      // Who was passed a link is not asked.
      if (!row.isOwner) throw new Problem('not_found', 'There is no such thing on this page.')
      const { value } = request.body
      const confirmed = isNameLike(value) ? await confirmVisit(services, row, value) : 'wrong'
      if (confirmed === 'wrong') {
        if (!isPerson(request)) throw new Problem('forbidden', 'The guest of this keepsake is not known by that.')
        return sendPage(reply.code(403), guestHtml(await shownPage(row, code, null, 'wrong')))
      }
      if ('wait' in confirmed) {
        const wait = { retryAfterSeconds: confirmed.wait }
        if (!isPerson(request)) throw new Problem('too_many_requests', 'There were 5 tries within an hour.', wait)
        reply.code(429).header('retry-after', confirmed.wait)
        return sendPage(reply, guestHtml(await shownPage(row, code, null, confirmed)))
      }
      const secure = publicUrlOf(settings).startsWith('https:') ? '; Secure' : ''
      reply.header(
        'set-cookie',
        `${COOKIE}=${confirmed.proof}; Path=/k/${code}; Max-Age=${CONFIRMED_SECONDS}; HttpOnly; SameSite=Strict${secure}`,
      )
      return sendPage(reply, guestHtml(await shownPage(row, code, confirmed.proof)))
    },
  )

  eraseRoutes(app, services, { opened, sendPage })
  for (const [ending, type, make] of [
    ['svg', 'image/svg+xml', qrSvg],
    ['png', 'image/png', qrPng],
  ] as const)
    app.get(
      `/k/:code/qr.${ending}`,
      {
        config: open,
        schema: {
          tags,
          operationId: `readGuestQr${ending === 'svg' ? 'Svg' : 'Png'}`,
          summary: `The QR code of a page, as ${ending.toUpperCase()}`,
          params,
          response: {
            200: { description: 'The picture.', content: { [type]: { schema: { type: 'string', format: 'binary' } } } },
          },
        },
      },
      async (request, reply) => {
        await opened(request, request.params.code)
        const picture: string | Buffer = await make(linkTo(settings, request.params.code))
        return (reply as FastifyReply).type(type).send(picture)
      },
    )
  app.get(
    '/k/:code/file/:number',
    {
      config: { ...open, problems: [...open.problems, 'bad_range'] },
      schema: {
        tags,
        operationId: 'downloadGuestFile',
        summary: 'A file of a keepsake',
        description: 'With range requests. Numbers count what tasks make in the order of acceptance, and never change.',
        params: fileParams,
        headers: fileHeaders,
        querystring: Input({
          save: Type.Optional(Type.Enum(['1'], { description: 'To be saved and not shown.' })),
          size,
          v: Type.Optional(
            Type.String({ maxLength: 64, description: 'Which file it is: what a browser keeps is of this one.' }),
          ),
        }),
        response: fileAnswers,
      },
    },
    async (request, reply) => {
      const { code, number } = request.params
      const { row, task_id, file } = await fileOf(request, code, number)
      const side = sideOf(request.query)
      // Named by its content, so a browser never asks for it twice.
      const cache = request.query.v === versionOf(file) ? 'private, max-age=31536000, immutable' : 'private, no-cache'
      const { experience_id } = row
      if (side) return sendScreenPicture(reply, services, { source: { task_id, file }, side, experience_id, cache })
      const mayBeSaved = (row.guest_page ?? plainGuestPage).download
      const name = `keepsake-${Number(number) + 1}${file.ext}`
      return sendBlob(reply, blobs, { ...file, ...(request.query.save && mayBeSaved ? { download: name } : {}) })
    },
  )
  app.get(
    '/k/:code/logo',
    {
      config: open,
      schema: { tags, operationId: 'readGuestLogo', summary: 'The logo of a page', params, response: fileAnswers },
    },
    async (request, reply) => {
      const row = await opened(request, request.params.code)
      return sendLogo(reply, services, await logoOf(row), row.experience_id)
    },
  )
  app.get(
    '/k/:code/events',
    {
      config: open,
      schema: {
        tags,
        operationId: 'followGuestPage',
        summary: 'What happens to a page, as it happens',
        params,
        response: { 200: { description: 'Events.', content: { 'text/event-stream': { schema: { type: 'string' } } } } },
      },
    },
    async (request, reply) => {
      const { code } = request.params
      const row = await opened(request, code)
      const place = streams.take(row.keepsake_id)
      await follow(services, { request, reply, closing: closing.signal, place, code, row, proof: proofOf(request) })
    },
  )
}

/** What a browser has kept of a confirmation. */
function proofOf({ headers }: FastifyRequest): string | null {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [name, value] = pair.trim().split('=', 2)
    if (name === COOKIE && value !== undefined && /^[\w-]{1,512}$/.test(value)) return value
  }
  return null
}

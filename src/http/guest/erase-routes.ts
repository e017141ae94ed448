// /k/CODE/erase: a guest takes back what was made with the code. /k/-/receipt/KEY: the receipt of it.
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { eraseKeepsake, receiptByKey } from '#erasures/erasures.ts'
import { linkTo, type OpenedKeepsake } from '#guests/keepsakes.ts'
import { Problem } from '#kit/errors.ts'
import { plainGuestPage } from '#kit/guest/guest-page.ts'
import { answer } from '../contract/answers.ts'
import { ErasureReceipt, GuestErasure, shownErasure } from '../contract/guests/erasure-shapes.ts'
import { Input } from '../contract/shapes.ts'
import type { App, Context } from '../route/route.ts'
import { askHtml, erasedHtml } from './erase-html.ts'
import { isPerson } from './guest-answers.ts'

const tags = ['Guests']
/** Of a form that is sent. */
export const FORM_BYTES = 4096

const params = Type.Object({ code: Type.String({ description: 'The code of the keepsake.' }) })
const html = (description: string) => ({ description, content: { 'text/html': { schema: { type: 'string' } } } })

interface Pages {
  opened(request: FastifyRequest, code: string): Promise<OpenedKeepsake>
  sendPage(reply: FastifyReply, text: string): FastifyReply
}

export function eraseRoutes(app: App, services: Context, { opened, sendPage }: Pages): void {
  const { settings, misses } = services

  /** The keepsake, if its guests may take it back and the code is the guest's own. */
  async function erasable(request: FastifyRequest, code: string): Promise<OpenedKeepsake> {
    const row = await opened(request, code)
    if (!(row.guest_page ?? plainGuestPage).erase)
      throw new Problem('forbidden', 'Keepsakes of this event can’t be taken back here. Ask the team of the event.')
    if (!row.isOwner)
      throw new Problem('forbidden', 'This code was handed on to look at the page. Only the guest’s own takes it back.')
    return row
  }

  const problems = ['forbidden', 'not_found', 'gone', 'too_many_requests'] as const
  app.get(
    '/k/:code/erase',
    {
      config: { scope: null, problems },
      schema: {
        tags,
        operationId: 'readErasePage',
        summary: 'The page that asks a guest whether all is to be taken back',
        params,
        response: { 200: html('The page, with a form.') },
      },
    },
    async (request, reply) => {
      const { code } = request.params
      const row = await erasable(request, code)
      return sendPage(reply as FastifyReply, askHtml(linkTo(settings, code), row))
    },
  )
  app.post(
    '/k/:code/erase',
    {
      bodyLimit: FORM_BYTES,
      config: { scope: null, problems: [...problems, 'wrong_state'], optionalBody: true },
      async preValidation(request) {
        request.body ??= {}
      },
      schema: {
        tags,
        operationId: 'eraseKeepsake',
        summary: 'Take back all that was made with a code',
        description:
          'Where the experience has `guest_page.erase`. Files, deliveries, records and the page go; what runs is cancelled. A browser that does not send `confirm` gets a page that asks first.',
        params,
        body: Input({
          confirm: Type.Optional(
            Type.Union([Type.Enum(['yes', 'no']), Type.Boolean()], {
              description: '`yes` or true: take it back. `no` or false: 409, nothing is done.',
              expects: '"yes" or "no"',
            }),
          ),
        }),
        response: { 202: answer('It is being taken back.', GuestErasure) },
      },
    },
    async (request, reply) => {
      const { code } = request.params
      const row = await erasable(request, code)
      const confirm = request.body.confirm ?? (isPerson(request) ? 'no' : 'yes')
      if (confirm === 'no' || confirm === false) {
        if (isPerson(request)) return sendPage(reply.code(409 as 202), askHtml(linkTo(settings, code), row))
        throw new Problem('wrong_state', 'Nothing was taken back: send confirm=yes for that.')
      }
      const { receiptUrl: receipt_url, body } = await eraseKeepsake(services, row, code)
      if (isPerson(request)) return sendPage(reply.code(202), erasedHtml(receipt_url, row, body.status !== 'Running'))
      return reply.code(202).send({ receipt_url, ...shownErasure(body) })
    },
  )
  app.get(
    '/k/-/receipt/:receipt_key',
    {
      config: { scope: null, problems: ['not_found', 'too_many_requests'] },
      schema: {
        tags,
        operationId: 'readGuestReceipt',
        summary: 'The receipt of a guest who took something back',
        params: Type.Object({ receipt_key: Type.String({ description: 'The last part of `receipt_url`.' }) }),
        response: { 200: answer('The receipt as it is now, signed.', ErasureReceipt) },
      },
    },
    async request => {
      const row = await receiptByKey(services, request.params.receipt_key)
      if (row) return { receipt: row.receipt, signature: row.signature, key_id: row.key_id }
      const wait = misses.count(services.addressOf(request))
      if (wait > 0)
        throw new Problem('too_many_requests', 'Too many keys that open nothing came from your address.', {
          retryAfterSeconds: wait,
        })
      throw new Problem('not_found', 'There is no such receipt.')
    },
  )
}

// /api/erasure/: the signed receipts of erasures, and the key that proves them.
import Type from 'typebox'
import { readErasure } from '#db/erasures/erasure-rows.ts'
import { TRIED_DAYS } from '#erasures/receipt.ts'
import { receiptSigner } from '#erasures/receipt-key.ts'
import { answer } from '../contract/answers.ts'
import { ErasureKey, ErasureReceipt } from '../contract/guests/erasure-shapes.ts'
import { Uuid } from '../contract/shapes.ts'
import type { Resource } from '../route/route.ts'

const tags = ['Erasures']
const params = Type.Object({ erasure_id: Uuid('The id of the erasure.') })

export const erasures: Resource = (app, services) => {
  app.get(
    '/api/erasure/key/',
    {
      config: { scope: null },
      schema: {
        tags,
        operationId: 'readErasureKey',
        summary: 'Read the key that proves receipts',
        description: 'Open to everybody. It is made once for a deployment and stays.',
        response: { 200: answer('The public key.', ErasureKey) },
      },
    },
    async () => (await receiptSigner(services)).publicKey,
  )
  app.get(
    '/api/erasure/:erasure_id/',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'readErasure',
        summary: 'Read the receipt of an erasure',
        description: `It grows: a target that could not be reached is tried again for ${TRIED_DAYS} days, and the receipt is signed anew with what was found.`,
        params,
        response: { 200: answer('The receipt as it is now, signed.', ErasureReceipt) },
      },
    },
    async request => {
      const { receipt, signature, key_id } = await readErasure(
        services.db,
        request.access.experiences,
        request.params.erasure_id,
      )
      return { receipt, signature, key_id }
    },
  )
}

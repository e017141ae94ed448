// Schemas of erasures and their signed receipts.
import Type, { type Static } from 'typebox'
import { Time, Uuid } from '../shapes.ts'

const line = {
  what: Type.Enum(['delivery', 'callback', 'task', 'activity'], {
    description:
      'A `delivery` lies at a target, a `callback` with its receiver; a `task` stays as a whole; of an `activity` the record of its task is gone.',
  }),
  task_id: Uuid('The task or task group it belonged to.'),
  index: Type.Optional(Type.Integer({ description: 'Of a delivery: its entry, counted over the whole request.' })),
  configuration: Type.Optional(Type.String({ description: 'The configuration that made it.' })),
  adapter_name: Type.Optional(Type.String({ description: 'Of a delivery: its adapter.' })),
  receiver: Type.Optional(Type.String({ description: 'Of a callback: the host that got it.' })),
  at: Time('When this was found or done.'),
}

const left = {
  ...line,
  code: Type.String({
    description:
      'Why: `shared`, `lasting`, `sent`, `unknown`, `no_record`, `no_configuration`, `no_adapter`, `given_up`, or the error of the target.',
    examples: ['lasting'],
  }),
  reason: Type.String({
    description: 'The same as a sentence.',
    examples: ['A mail that was sent can’t be taken back.'],
  }),
}

const pending = {
  ...left,
  tries: Type.Integer({ description: 'How often it was tried.' }),
  next_try_at: Time('When it is tried again.'),
  until: Time('How long it is tried. After that it is listed as kept.'),
}

const Erased = Type.Object(line, { title: 'ErasedDelivery' })
const Kept = Type.Object(left, { title: 'KeptAfterErasure' })
const Pending = Type.Object(pending, { title: 'PendingErasure' })

const count = (description: string) => Type.Integer({ description })

const parts = {
  status: Type.Enum(['Running', 'Pending', 'Done'], {
    description: '`Running`: records are still being deleted. `Pending`: a target could not be reached yet.',
  }),
  counts: Type.Object(
    {
      profiles: count('Profiles.'),
      pages: count('Pages of guests.'),
      tasks: count('Tasks and task groups.'),
      files: count('Stored files: inputs, outputs, what lay between.'),
      activities: count('Activities.'),
      callbacks: count('Callbacks with their bodies.'),
      idempotency_keys: count('Idempotency keys.'),
    },
    { title: 'ErasureCounts', description: 'What was deleted.' },
  ),
  removed: Type.Array(Erased, { description: 'Deliveries that are gone from their targets.' }),
  kept: Type.Array(Kept, { description: 'What can’t be taken back, and why.' }),
  pending: Type.Array(Pending, {
    description: 'What is still to be taken back: its target did not answer.',
  }),
  shared: Type.Array(Type.String({ format: 'uuid' }), {
    description: 'Tasks that stay because they name other guests too.',
  }),
}

/** The answer to a request to erase. */
export const Erasure = Type.Object(
  { erasure_id: Uuid('The id of the erasure: `GET /api/erasure/{erasure_id}/` is its receipt.'), ...parts },
  { title: 'Erasure' },
)

/** What of a receipt the answer repeats. */
export const shownErasure = ({
  erasure_id,
  status,
  counts,
  removed,
  kept,
  pending,
  shared,
}: Static<typeof Erasure>) => ({
  erasure_id,
  status,
  counts,
  removed,
  kept,
  pending,
  shared,
})

export const GuestErasure = Type.Object(
  {
    receipt_url: Type.String({
      description:
        'The receipt, for whoever has this address. It is told again, with the 410, to whoever has the same code.',
      examples: ['https://photos.example.com/k/-/receipt/3q2-7wAAAAAAAAAAAAAAAA'],
    }),
    ...Erasure.properties,
  },
  { title: 'GuestErasure' },
)

export const ErasureReceipt = Type.Object(
  {
    receipt: Type.String({
      description:
        'JSON as text: `erasure_id`, `asked_by`, `status`, `asked_at`, `made_at`, `counts`, `removed`, `kept`, `pending`, `shared` and `backups`. It names no person.',
      examples: [`{"erasure_id":"019a8424-5d3e-7c31-9d0b-5a2f3e0c7b11","status":"Done"}`],
    }),
    signature: Type.String({ description: 'Ed25519 over exactly the bytes of `receipt`, in base64.' }),
    key_id: Type.String({ description: 'Which key signed it.', examples: ['9f86d081884c7d65'] }),
  },
  { title: 'ErasureReceipt' },
)

export const ErasureKey = Type.Object(
  {
    key_id: Type.String({
      description: 'The first 16 digits of the SHA-256 of the key.',
      examples: ['9f86d081884c7d65'],
    }),
    algorithm: Type.Enum(['Ed25519']),
    public_key: Type.String({ description: 'The public key as PEM.' }),
  },
  { title: 'ErasureKey' },
)

// The options of an adapter that takes values for its placeholders.
import Type from 'typebox'
import { named } from '#kit/schema.ts'

export const contextOption = named(Type.Unknown(), {
  default: {},
  description: 'Values for placeholders; `additional_context` of the extras is merged over them.',
  role: 'context',
})

export const missingOption = Type.Enum(['empty', 'error'], {
  default: 'empty',
  description: 'What a placeholder without a value does: it stays empty, or the entry fails.',
  role: 'missing',
})

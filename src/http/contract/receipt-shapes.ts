// Schema of the receipt for deliveries that were taken back.
import Type from 'typebox'
import { FreeObject, Uuid } from './shapes.ts'

const line = {
  task_id: Uuid('The task or task group that delivered it.'),
  configuration: Type.String({ description: 'The destination.' }),
  index: Type.Integer(),
  result: FreeObject('What the delivery had answered.'),
}

export const Receipt = Type.Object(
  {
    removed: Type.Array(Type.Object(line), { description: 'What is not there any more.' }),
    kept: Type.Array(Type.Object({ ...line, reason: Type.String() }), {
      description: 'What could not be taken back, and why.',
    }),
  },
  { title: 'Receipt' },
)

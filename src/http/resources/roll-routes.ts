// The rolls of printers: what is used of them, and the word of an operator that one was changed.
import Type from 'typebox'
import { changeRoll, type Roll, readRolls } from '#configurations/configuration-rolls.ts'
import { answer } from '../contract/answers.ts'
import type { Resource } from '../route/route.ts'

const params = Type.Object({ configuration_name: Type.String({ description: 'The name, percent-encoded.' }) })

const Rolls = Type.Object({
  rolls: Type.Array(
    Type.Object({
      printer: Type.String({ description: 'The address of the printer.' }),
      used: Type.Integer({ description: 'Prints since the last change of its roll, those on their way included.' }),
      prints_per_roll: Type.Union([Type.Integer(), Type.Null()], {
        description: 'What a roll gives, as the configuration says; null where nobody counts.',
      }),
      changed_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
        description: 'When the roll was last changed, or the printer first used; null before that.',
      }),
    }),
    { description: 'One for each printer of the configuration, in its order.' },
  ),
})

const shown = (rolls: Roll[]) => ({
  rolls: rolls.map(({ printer, used, prints_per_roll, changed_at }) => ({
    printer,
    used,
    prints_per_roll,
    changed_at: changed_at?.toISOString() ?? null,
  })),
})

export const rolls: Resource = (app, { db }) => {
  const tags = ['Configurations']
  app.get(
    '/api/configuration/:configuration_name/rolls/',
    {
      config: { scope: 'read', problems: ['wrong_state'] },
      schema: {
        tags,
        operationId: 'readRolls',
        summary: 'Read what is used of the rolls of printers',
        description: 'Of a configuration of `print_ipp`. Configurations that name the same printer share its count.',
        params,
        response: { 200: answer('The rolls.', Rolls) },
      },
    },
    async ({ params, access }) => shown(await readRolls(db, access.experiences, params.configuration_name)),
  )
  app.post(
    '/api/configuration/:configuration_name/rolls/',
    {
      config: { scope: 'tasks', problems: ['wrong_state'] },
      schema: {
        tags,
        operationId: 'changeRoll',
        summary: 'Report that a roll was changed',
        description:
          'The count of the printer begins anew, with what is on its way to it; deliveries that wait for it go on by themselves. Without `printer`: all printers of the configuration.',
        params,
        body: Type.Object(
          {
            printer: Type.Optional(
              Type.String({ description: 'The address of the printer, as in the configuration.', maxLength: 1024 }),
            ),
          },
          { additionalProperties: false },
        ),
        response: { 200: answer('The rolls as they are now.', Rolls) },
      },
    },
    async ({ params, access, body, actor }) =>
      shown(await changeRoll(db, access.experiences, params.configuration_name, body.printer, actor)),
  )
}

// Describes the answers of a route for the reference: a sentence, the schema of the body, the headers that come with it.
import Type, { type TSchema } from 'typebox'

type AnswerHeaders = Record<string, TSchema>

/** A JSON body. Headers that every route sends are added by the document itself. */
export const answer = <T extends TSchema>(description: string, schema: T, headers: AnswerHeaders = {}) => ({
  description,
  headers,
  content: { 'application/json': { schema } },
})

/** An answer without a body. */
export const emptyAnswer = (description: string, headers: AnswerHeaders = {}) => Type.Null({ description, headers })

export const locationHeader = (description: string, example: string) => ({
  Location: Type.String({ description, examples: [example] }),
})

export const etagHeader = (description: string) => ({ ETag: Type.String({ description }) })

// The OpenAPI document with every answer where it is given, also those that it names once for all operations.

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, object> }>>
  components: { responses?: Record<string, object> }
}

export function withAnswers<T extends object>(document: T): T {
  const whole = structuredClone(document) as T & Document
  for (const { responses } of Object.values(whole.paths).flatMap(methods => Object.values(methods)))
    for (const [status, answer] of Object.entries(responses)) {
      const name = '$ref' in answer ? String(answer.$ref).split('/').at(-1) : undefined
      if (name !== undefined) responses[status] = whole.components.responses?.[name] ?? {}
    }
  return whole
}

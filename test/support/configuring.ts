// Making configurations over the API, and having them refused.
import assert from 'node:assert/strict'
import type { Client } from './client.ts'

export interface Configuring {
  make(body: object): Promise<void>
  /** Answers the sentence of the refusal. */
  refused(body: object, status: number, code: string, field?: string): Promise<string>
}

/** `client` is asked for when it is needed: it may be made in a `before`. */
export const configuring = (client: () => Client): Configuring => ({
  async make(body) {
    const { status, body: answer } = await client().post('/api/configuration/', body)
    assert.equal(status, 201, JSON.stringify(answer))
  },
  async refused(body, status, code, field) {
    const answer = await client().post('/api/configuration/', body)
    assert.equal(answer.body.code, code, JSON.stringify(answer.body))
    assert.equal(answer.status, status)
    if (field !== undefined) assert.ok(answer.body.errors.some((e: { field: string }) => e.field === field))
    return answer.body.detail
  },
})

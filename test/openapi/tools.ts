// The installed readers of the OpenAPI document: `npm run setup` brings them.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { root } from '../support/markdown.ts'

/** Outside of the project's own packages: they want another TypeScript, and `npm start` does without them. */
export const toolsFolder = join(root, '.cache/openapi-tools')

// biome-ignore lint/suspicious/noExplicitAny: packages without types here
export function tool(name: string): any {
  assert.ok(existsSync(join(toolsFolder, 'node_modules')), 'the tools are not there; run: npm run setup')
  return createRequire(join(toolsFolder, 'package.json'))(name)
}

// Installs the readers of the OpenAPI document that tests try it with, in a folder of their own: a start never fetches them.
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cache, inRoot, npm, say } from './run.mjs'

const home = join(cache, 'openapi-tools')
const stamp = join(home, 'stamp')
const files = ['package.json', 'package-lock.json']

const wanted = () => {
  const sum = createHash('sha256').update(process.platform).update(process.arch)
  for (const file of files) sum.update(readFileSync(inRoot(`test/openapi/tools/${file}`)))
  return sum.digest('hex')
}

export const openApiToolsReady = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted()

export async function ensureOpenApiTools(node) {
  if (openApiToolsReady()) return
  say('installing what tests read the API reference with …')
  mkdirSync(home, { recursive: true })
  for (const file of files) copyFileSync(inRoot(`test/openapi/tools/${file}`), join(home, file))
  await npm(node, ['ci', '--ignore-scripts'], home)
  writeFileSync(stamp, wanted())
}

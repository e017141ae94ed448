// Reads the template that options name, and caches it by content: every task of an event uses the same one.
import { text } from 'node:stream/consumers'
import { LRUCache } from 'lru-cache'
import type { StoredFile } from '#db/tables.ts'
import type { Adapter } from '#engine/adapter.ts'
import { parseTemplate } from '#engine/template.ts'
import { Problem } from '#kit/errors.ts'
import type { JsonObject } from '#kit/json.ts'
import type { Blobs } from '#storage/blobs.ts'

const MOST_BYTES = 4 * 1024 ** 2

const cache = new LRUCache<string, JsonObject>({ max: 100 })

/** `label`: how error messages name the template. */
export async function readTemplate(
  blobs: Pick<Blobs, 'read'>,
  adapter: Adapter,
  label: string,
  { blob, sha256, bytes }: StoredFile,
  signal?: AbortSignal,
): Promise<JsonObject> {
  if (!adapter.template) return {}
  const key = `${adapter.name} ${sha256}`
  const known = cache.get(key)
  if (known) return known
  if (bytes > MOST_BYTES)
    throw new Problem(
      'bad_options',
      `${label} is no template for ${adapter.name}: it has more than ${MOST_BYTES} bytes.`,
    )
  const template = parseTemplate(
    adapter,
    adapter.template,
    label,
    await text(await blobs.read(blob, undefined, signal)),
  )
  cache.set(key, template)
  return template
}

/** The name of the template asset in the options, or null. */
export function templateName({ template }: Adapter, options: JsonObject): string | null {
  const name = template && options[template.parameter]
  return typeof name === 'string' && name !== '' ? name : null
}

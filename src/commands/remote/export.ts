// keepsake export: writes experiences with their configurations and assets to a folder, as `keepsake apply` reads them.
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { stringify } from 'yaml'
import { type Configuration, type Keepsake, saveTo } from '#client/node.ts'
import { BadCommand } from '#kit/cannot-start.ts'
import { isObject } from '#kit/json.ts'
import { MASK } from '#kit/mask.ts'
import type { Given } from '../commands.ts'
import type { Terminal } from '../terminal.ts'
import { connect } from './named-server.ts'
import { extensionOf, plainName } from './run-remote.ts'

/** What the service tells of a configuration and an apply does not take. */
const TOLD = ['kind', 'created_at', 'updated_at', 'version', 'used_by']
const SETTINGS = ['experience_id', 'name', 'retention_days', 'time_zone', 'starts_at', 'ends_at', 'archived']

export async function exportEvent(
  { values, positionals: experiences }: Given<'export'>,
  terminal: Terminal,
  here: (path: string) => string,
): Promise<number> {
  if (experiences.length === 0) throw new BadCommand('export needs the id of an experience')
  const keepsake = connect(values.url)
  const folder = here(values.out ?? plainName(experiences[0] ?? ''))
  await mkdir(join(folder, 'assets'), { recursive: true })
  const secrets: string[] = []
  const event = { experiences: [] as object[], assets: [] as object[], configurations: [] as object[] }
  for (const experience_id of experiences) {
    const settings: object = await keepsake.experiences.get(experience_id)
    event.experiences.push(
      Object.fromEntries(Object.entries(settings).filter(([name, value]) => SETTINGS.includes(name) && value !== null)),
    )
    event.assets.push(...(await assetsOf(keepsake, experience_id, folder)))
    for await (const configuration of keepsake.configurations.list({ experience_id, limit: 500 }))
      event.configurations.push(written(configuration, secrets))
  }
  const file = join(folder, 'event.yaml')
  await writeFile(`${file}.part`, stringify(event, { lineWidth: 120 }))
  await rename(`${file}.part`, file)
  terminal.print(values.json ? JSON.stringify({ file, secrets }) : file)
  if (secrets.length > 0) terminal.say(`Credentials are not exported. Before apply, set: ${secrets.join(', ')}`)
  return 0
}

async function assetsOf(keepsake: Keepsake, experience_id: string, folder: string): Promise<object[]> {
  const assets: object[] = []
  const taken = new Set<string>()
  for await (const { name, mime } of keepsake.assets.list({ experience_id, limit: 500 })) {
    const plain = plainName(name)
    let file = extname(plain) === '' ? `${plain}${extensionOf(mime)}` : plain
    // Two names may differ only in what a file name can't hold.
    while (taken.has(file.toLowerCase())) file = `_${file}`
    taken.add(file.toLowerCase())
    await saveTo(join(folder, 'assets', file), keepsake.assets.file(name))
    assets.push({ name, experience_id, file: `assets/${file}` })
  }
  return assets
}

/** A masked credential becomes the name of a variable. */
function written(configuration: Configuration, secrets: string[]): object {
  const named = (path: readonly string[]): string => {
    const variable = [configuration.configuration_name, ...path]
      .join('_')
      .toUpperCase()
      .replace(/[^A-Z0-9]+/g, '_')
      .replace(/^(?=\d)/, '_')
    secrets.push(variable)
    return `\${${variable}}`
  }
  const filled = (value: unknown, path: readonly string[]): unknown => {
    if (value === MASK) return named(path)
    if (Array.isArray(value)) return value.map((item, at) => filled(item, [...path, String(at)]))
    if (isObject(value))
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, filled(inner, [...path, key])]))
    return value
  }
  return Object.fromEntries(
    Object.entries(configuration)
      .filter(([name, value]) => !TOLD.includes(name) && value !== null)
      .map(([name, value]) => [
        name,
        name === 'adapter_config' ? withAuth(value as Record<string, unknown>, filled) : value,
      ]),
  )
}

const withAuth = (
  config: Record<string, unknown>,
  filled: (value: unknown, path: readonly string[]) => unknown,
): object => ({
  ...config,
  ...(config.auth === undefined ? {} : { auth: filled(config.auth, []) }),
})

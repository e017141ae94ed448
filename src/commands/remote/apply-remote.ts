// keepsake apply: makes a server have what event files say, in one request that does all of it or nothing.
import { openAsBlob } from 'node:fs'
import type { Keepsake } from '#client/node.ts'
import type { Given } from '../commands.ts'
import { type ReadEvent, readEvents } from '../event-file.ts'
import { type Change, changeLines } from '../show-changes.ts'
import type { Terminal } from '../terminal.ts'
import { type Login, newClient } from './named-server.ts'
import { isAgreed } from './steer-remote.ts'

export async function applyRemote(
  { values, positionals }: Given<'apply'>,
  server: Login,
  terminal: Terminal,
  here: (path: string) => string,
): Promise<number> {
  const event = await readEvents(positionals, here)
  const keepsake = newClient(server)
  const known = await storedFiles(keepsake, event)
  const prune = values.prune === true
  const send = (dryRun: boolean): Promise<Change[]> => sent(keepsake, event, known, { dryRun, prune })
  const show = (changes: Change[], withFields: boolean): void => {
    if (values.json) terminal.print(JSON.stringify({ changes }, null, 2))
    else for (const line of changeLines(changes, withFields)) terminal.print(line)
  }
  if (values['dry-run']) {
    show(await send(true), true)
    return 0
  }
  if (prune && !values.yes) {
    const deleted = (await send(true)).filter(({ change }) => change === 'deleted')
    for (const line of changeLines(deleted, false)) terminal.say(line)
    if (deleted.length > 0 && !(await isAgreed(`Delete these ${deleted.length}?`))) {
      terminal.say('Nothing was done.')
      return 1
    }
  }
  show(await send(false), false)
  return 0
}

/** The files that the server has already, by the name of their asset: they are not sent again. */
async function storedFiles(keepsake: Keepsake, { assets }: ReadEvent): Promise<Map<string, string>> {
  const known = new Map<string, string>()
  for (const experience_id of new Set(assets.map(asset => asset.experience_id)))
    for await (const { name, sha256 = '' } of keepsake.assets.list({
      ...(experience_id === null ? { shared: 'true' as const } : { experience_id }),
      limit: 500,
    }))
      known.set(name, sha256)
  return known
}

async function sent(
  keepsake: Keepsake,
  { experiences, assets, configurations }: ReadEvent,
  known: ReadonlyMap<string, string>,
  { dryRun, prune }: { dryRun: boolean; prune: boolean },
): Promise<Change[]> {
  const missing = assets.filter(({ name, sha256 }) => known.get(name) !== sha256)
  const event = {
    experiences,
    assets: assets.map(asset => {
      const { name, experience_id, sha256 } = asset
      const at = missing.indexOf(asset)
      return { name, experience_id, sha256, ...(at < 0 ? {} : { part: `file_${at}` }) }
    }),
    configurations,
  }
  const files = await Promise.all(missing.map(({ path }) => openAsBlob(path)))
  const { changes } = await keepsake.request<{ changes: Change[] }>('POST', '/api/apply/', {
    query: { ...(dryRun ? { dry_run: true } : {}), ...(prune ? { prune: true } : {}) },
    body() {
      const form = new FormData()
      form.append('event', JSON.stringify(event))
      for (const [at, file] of files.entries()) form.append(`file_${at}`, file, `file_${at}`)
      return form
    },
    bodyBytes: files.reduce((sum, file) => sum + file.size, 0),
    // The same event twice is the same event.
    repeatable: true,
  })
  return changes
}

// Places where a process can be made to die, once, so that tests can see what a crash there leaves behind.
import { closeSync, openSync, readFileSync } from 'node:fs'
import { BadSetting } from './settings.ts'

/** Every side effect whose interruption must be survived. */
export const effects = [
  // Both processes
  'note', // an upload is noted, before its file can be seen
  'blob', // a file is renamed into the blob store
  // The API
  'append', // bytes of a resumable upload are noted
  'complete', // a resumable upload becomes a blob
  'create',
  'cancel',
  'retry',
  'resend',
  'delete_task',
  'profile', // a new profile with the activities that waited for it
  // Both: whoever has an erasure in hand
  'erase', // it is noted, with the marks of its tasks
  'erase_target', // a delivery is taken back
  'erase_task', // all rows of a task
  'erase_person',
  // The worker
  'fetch',
  'claim',
  'download',
  'begin',
  'media',
  'deliver',
  'checkpoint',
  'end',
  'release',
  'finish',
  'callback_claim',
  'callback_post',
  'callback_record',
  'recover',
  'reconcile',
  'sweep_files',
  'sweep_uploads',
  'sweep_assets',
] as const

/** `before`: all is prepared, nothing is done or committed yet. `after`: done or committed, but not yet acknowledged. */
export type FailpointName = `${(typeof effects)[number]}.${'before' | 'after'}`

export const failpoints: readonly FailpointName[] = effects.flatMap(effect => [
  `${effect}.before` as const,
  `${effect}.after` as const,
])

interface Armed {
  name: string
  flagFile: string
  passes: number
}

let armed: Armed | null = null
/** The file that names the failpoint, and its text when it was read last. */
let orders: { path: string; said: string } | null = null

/**
 * `setting`: NAME:FLAGFILE, or NAME#2:FLAGFILE to pass there once before. Of all processes with this setting only the
 * one that makes the file dies. @PATH: the same stands in a file, which is looked at whenever a process comes to a place.
 */
export function armFailpoint(setting: string | null): void {
  if (setting === null) return
  if (setting.startsWith('@')) orders = { path: setting.slice(1), said: '' }
  else armed = parse(setting)
}

function parse(setting: string): Armed {
  const [place = '', ...rest] = setting.split(':')
  const [name = '', times = '1'] = place.split('#')
  const flagFile = rest.join(':')
  if (!(failpoints as readonly string[]).includes(name) || flagFile === '' || !/^[1-9]$/.test(times))
    throw new BadSetting(
      `KEEPSAKE_FAILPOINT must be NAME:FLAGFILE or @PATH, with one of the names ${failpoints.join(', ')}`,
    )
  return { name, flagFile, passes: Number(times) - 1 }
}

function obey(given: { path: string; said: string }): void {
  const said = readText(given.path)
  if (said === given.said) return
  given.said = said
  armed = said === '' ? null : parse(said)
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // Nobody has to die.
  }
}

export function failpoint(name: FailpointName): void {
  if (orders) obey(orders)
  if (armed?.name !== name || armed.passes-- > 0) return
  try {
    closeSync(openSync(armed.flagFile, 'wx'))
  } catch {
    return // Somebody has died here already.
  }
  process.kill(process.pid, 'SIGKILL')
}

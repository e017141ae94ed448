// Places where a process can be made to die, once, so that tests can see what a crash there leaves behind.
import { closeSync, openSync } from 'node:fs'
import { BadSetting } from './settings.ts'

/** Every side effect whose interruption must be survived. */
export const effects = [
  // Both processes
  'note', // an upload is noted, before its file can be seen
  'blob', // a file is renamed into the blob store
  // The API
  'create',
  'cancel',
  'retry',
  'resend',
  'profile', // a new profile with the activities that waited for it
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

/** `before`: all is prepared, nothing is done or committed yet. `after`: it is, and nobody knows. */
export type FailpointName = `${(typeof effects)[number]}.${'before' | 'after'}`

export const failpoints: readonly FailpointName[] = effects.flatMap(effect => [
  `${effect}.before` as const,
  `${effect}.after` as const,
])

let armed: { name: string; flagFile: string } | null = null

/** `setting`: NAME:FLAGFILE. Of all processes with this setting only the one that makes the file dies. */
export function armFailpoint(setting: string | null): void {
  if (setting === null) return
  const [name = '', ...rest] = setting.split(':')
  const flagFile = rest.join(':')
  if (!(failpoints as readonly string[]).includes(name) || flagFile === '')
    throw new BadSetting(`KEEPSAKE_FAILPOINT must be NAME:FLAGFILE with one of the names ${failpoints.join(', ')}`)
  armed = { name, flagFile }
}

export function failpoint(name: FailpointName): void {
  if (armed?.name !== name) return
  try {
    closeSync(openSync(armed.flagFile, 'wx'))
  } catch {
    return // Somebody has died here already.
  }
  process.kill(process.pid, 'SIGKILL')
}

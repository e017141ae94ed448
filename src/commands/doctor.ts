// npm run doctor: prints what this machine has and lacks, one line each.
import { accessSync, constants, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { refuseNewer } from '#db/migrate.ts'
import { serverVersion } from '#db/version.ts'
import { guardsOf, jailFor, videoOff } from '#engine/children/tools.ts'
import { CannotStart } from '#kit/cannot-start.ts'
import { PERL } from '#kit/process/own-group.ts'
import { BadSetting, loadSettings, ownEnvironment, type Settings } from '#kit/settings.ts'
import { NoAnswer } from '#media/process/answer-of.ts'
import { type FoundFfmpeg, findFfmpeg } from '#media/process/find-ffmpeg.ts'
import { embeddedUrl } from '#postgres/embedded.ts'
import { postgresHome } from '#postgres/postgres-binaries.ts'
import { newBlobs, storeFolder } from '#storage/blobs.ts'
import { checkMachine, howToInstall } from './doctor-machine.ts'

type Verdict = 'ok' | 'warn' | 'fail'
type Finding = [verdict: Verdict, what: string, said: string]

const OLDEST_NODE = 24
const GiB = 1024 ** 3
const mediaChild = fileURLToPath(import.meta.resolve('#child.ts'))

/** Returns the exit code: 1 if something is missing that Keepsake or one of its configurations needs. */
export async function doctor(print: (line: string) => void): Promise<number> {
  const [settings, settingsFinding] = readSettings()
  const path = ownEnvironment().PATH ?? ''
  const found = orNoAnswer(findFfmpeg(settings, path))
  const checks: (() => Promise<Finding[]> | Finding[])[] = [
    () => [node(), machine()],
    () => [settingsFinding],
    () => [dataFolder(settings.data), freeDisk(settings.data)],
    () => database(settings),
    () => blobs(settings),
    async () => ffmpeg(await found),
    () => guards(settings),
    () => [optional('jpegtran', path, 'turns of photos are not lossless', 'libjpeg-turbo-progs')],
    () => [optional('perl', dirname(PERL), 'answers take longer while all cores are busy', 'perl-base')],
    () => [optional('setpriv', path, 'as root, media children stay root', 'util-linux')],
    pictures,
    people,
    () => provider(settings),
    () => secrets(settings),
    () => rows(settings),
    async () => configurations(settings, await found),
  ]
  let failed = false
  for (const check of checks) {
    for (const [verdict, what, said] of await check()) {
      failed ||= verdict === 'fail'
      print(`${verdict.padEnd(4)}  ${what.padEnd(12)}  ${said}`)
    }
  }
  return failed ? 1 : 0
}

function node(): Finding {
  const fine = Number(process.versions.node.split('.')[0]) >= OLDEST_NODE
  return [
    fine ? 'ok' : 'fail',
    'Node',
    `${process.versions.node} on ${process.platform} ${process.arch}${fine ? '' : `; ${OLDEST_NODE} or newer is needed`}`,
  ]
}

function machine(): Finding {
  const [verdict, said] = checkMachine(process.platform, process.arch)
  return [verdict, 'machine', said]
}

function readSettings(): [Settings, Finding] {
  try {
    return [loadSettings(), ['ok', 'settings', 'all valid']]
  } catch (error) {
    if (!(error instanceof BadSetting)) throw error
    return [loadSettings({}, ''), ['fail', 'settings', `${error.message} (the checks below use the defaults)`]]
  }
}

/** The folder itself, or the nearest existing folder above it. */
const nearest = (folder: string): string =>
  existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder))

function dataFolder(folder: string): Finding {
  try {
    accessSync(nearest(folder), constants.W_OK | constants.X_OK)
    return ['ok', 'data folder', existsSync(folder) ? folder : `${folder} (made at the first start)`]
  } catch {
    return ['fail', 'data folder', `${folder} is not writable for this user (KEEPSAKE_DATA)`]
  }
}

function freeDisk(folder: string): Finding {
  const { bavail, bsize } = statfsSync(nearest(folder))
  const free = bavail * bsize
  const said = `${(free / GiB).toFixed(1)} GiB free for the data folder`
  if (free < GiB / 4) return ['fail', 'disk', `${said}; the database stops when it is full`]
  return [free < 5 * GiB ? 'warn' : 'ok', 'disk', said]
}

async function database(settings: Settings): Promise<Finding[]> {
  const { databaseUrl, databaseSessionUrl } = settings
  if (databaseUrl !== null)
    return [
      await answering(databaseUrl, 'external (DATABASE_URL)'),
      ...(databaseSessionUrl ? [await answering(databaseSessionUrl, 'past the pooler (DATABASE_SESSION_URL)')] : []),
    ]
  try {
    return [await answering(embeddedUrl(settings.data), 'embedded')]
  } catch {
    // It does not run now. Below: could it be started?
  }
  try {
    postgresHome({})
    return [['ok', 'database', 'embedded, started by `npm start`']]
  } catch (error) {
    return [['fail', 'database', (error as Error).message]]
  }
}

async function answering(url: string, which: string): Promise<Finding> {
  try {
    const version = await serverVersion(url)
    const fine = Number.parseInt(version, 10) >= 15
    await refuseNewer(url)
    return [fine ? 'ok' : 'fail', 'database', `PostgreSQL ${version}, ${which}${fine ? '' : '; 15 or newer is needed'}`]
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (error instanceof CannotStart) return ['fail', 'database', message]
    return ['fail', 'database', `${which} does not answer: ${message || code}`]
  }
}

async function blobs(settings: Settings): Promise<Finding[]> {
  const where = settings.blobs ?? '`blobs` in the data folder'
  if (settings.blobs === null && !existsSync(settings.data))
    return [['ok', 'files', `${where} (made at the first start)`]]
  const folder = storeFolder(settings.blobs, settings.data)
  if (folder !== null && !existsSync(folder))
    return [['warn', 'files', `${where} is not there: it is made at the first start, or its disk is not mounted`]]
  try {
    const keys = {
      accessKey: settings.s3AccessKey,
      secretKey: settings.s3SecretKey,
      sessionToken: settings.s3SessionToken,
    }
    const store = await newBlobs(settings.blobs, settings.data, keys, false)
    await store.check()
    return [['ok', 'files', `${where}: written, read and deleted a test file`]]
  } catch (error) {
    return [['fail', 'files', `${where} cannot be used: ${(error as Error).message}`]]
  }
}

/** A check-up says that there was no answer, and does not wait for one. */
const orNoAnswer = <T>(look: Promise<T>): Promise<T | NoAnswer> =>
  look.catch(error => {
    if (error instanceof NoAnswer) return error
    throw error
  })

const unknown = (what: string, { message }: NoAnswer): Finding => [
  'warn',
  what,
  `${message}: not known yet; the service asks again until there is an answer`,
]

function ffmpeg(found: FoundFfmpeg | NoAnswer | null): Finding[] {
  if (found instanceof NoAnswer) return [unknown('ffmpeg', found)]
  if (!found)
    return [
      [
        'warn',
        'ffmpeg',
        `not found, so the video adapters are off; install it: ${howToInstall('ffmpeg')}, or set FFMPEG_PATH and FFPROBE_PATH`,
      ],
    ]
  const { version, missing } = found
  return [
    missing.length === 0
      ? ['ok', 'ffmpeg', `${version} with all that is used`]
      : ['warn', 'ffmpeg', `${version} lacks ${missing.join(', ')}`],
  ]
}

/** The restrictions that each kind of media child runs under. */
async function guards(settings: Settings): Promise<Finding[]> {
  const rooms = mkdtempSync(join(tmpdir(), 'keepsake-doctor-'))
  const programs = { ffmpeg: null, ffprobe: null, jpegtran: null }
  const jail = await orNoAnswer(jailFor(settings, programs, mediaChild, join(rooms, 'rooms')))
  rmSync(rooms, { recursive: true, force: true })
  if (jail instanceof NoAnswer) return [unknown('jail', jail)]
  const whole = jail.prlimit && jail.bwrap && (jail.setpriv || process.getuid?.() !== 0)
  const kinds = Object.entries(guardsOf(jail)).map(
    ([kind, said]): Finding => [whole ? 'ok' : 'warn', 'jail', `${kind}: ${said}`],
  )
  return jail.bwrap
    ? kinds
    : [...kinds, ['warn', 'bubblewrap', `not found, so media children have no jail; ${howToInstall('bubblewrap')}`]]
}

function optional(name: string, path: string, without: string, pack: string): Finding {
  const there = path.split(delimiter).some(folder => folder !== '' && existsSync(join(folder, name)))
  return there ? ['ok', name, 'found'] : ['warn', name, `missing: ${without}; ${howToInstall(pack)}`]
}

async function pictures(): Promise<Finding[]> {
  try {
    const [{ checkPictures }, { vipsVersions }] = await Promise.all([
      import('#media/picture/picture-self-check.ts'),
      import('#media/pixels/vips.ts'),
    ])
    const { formats, colourEmoji } = await checkPictures()
    return [
      ['ok', 'pictures', `sharp ${vipsVersions().sharp}, libvips ${vipsVersions().libvips}: ${formats.join(', ')}`],
      colourEmoji
        ? ['ok', 'emoji', 'drawn in colour']
        : ['warn', 'emoji', `no colour emoji font; ${howToInstall('fonts-noto-color-emoji')}`],
    ]
  } catch (error) {
    return [['fail', 'pictures', `sharp does not work here: ${(error as Error).message}`]]
  }
}

/** Runs the models once. Without them only the adapters that look for people are off. */
async function people(): Promise<Finding[]> {
  const [{ checkSight }, { visionOff }] = await Promise.all([
    import('#vision/sight-check.ts'),
    import('#vision/runtime.ts'),
  ])
  const off = visionOff()
  if (off !== null) return [['warn', 'people', `${off}; npm install brings them`]]
  try {
    return [['ok', 'people', await checkSight()]]
  } catch (error) {
    return [['warn', 'people', `cannot be looked for here: ${(error as Error).message}`]]
  }
}

async function provider(settings: Settings): Promise<Finding[]> {
  if (settings.oidcIssuer === null) return []
  const { checkProvider } = await import('./doctor-provider.ts')
  const [verdict, said] = await checkProvider(settings)
  return [[verdict, 'sign-in', said]]
}

async function secrets(settings: Settings): Promise<Finding[]> {
  const url = await runningDatabase(settings)
  if (url === null) return []
  const { checkSecrets } = await import('./doctor-secrets.ts')
  const [verdict, said] = await checkSecrets(settings, url)
  return [[verdict, 'secrets', said]]
}

async function rows(settings: Settings): Promise<Finding[]> {
  const url = await runningDatabase(settings)
  if (url === null) return []
  const { checkRows } = await import('./doctor-rows.ts')
  return checkRows(url)
}

/** Checks the configurations if the database runs. */
async function configurations(settings: Settings, found: FoundFfmpeg | NoAnswer | null): Promise<Finding[]> {
  const url = await runningDatabase(settings)
  if (url === null) return [['ok', 'check', 'configurations are checked when the database can be used']]
  const { checkConfigurations } = await import('./doctor-configurations.ts')
  const checked = await checkConfigurations(
    settings,
    url,
    found instanceof NoAnswer ? [found.message] : videoOff(found),
  )
  if (checked.length === 0) return [['ok', 'check', 'there is no configuration yet']]
  return checked.map(({ ok, said }) => [ok ? 'ok' : 'fail', 'check', said])
}

async function runningDatabase(settings: Settings): Promise<string | null> {
  try {
    const url = settings.databaseSessionUrl ?? settings.databaseUrl ?? embeddedUrl(settings.data)
    await refuseNewer(url)
    return url
  } catch {
    return null
  }
}

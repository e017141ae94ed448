// Every setting of the service: its name, default, meaning and check. The only file that reads the environment.
import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import ipaddr from 'ipaddr.js'

interface Setting<T> {
  name: string
  /** As it is shown in the docs. */
  shown: string
  meaning: string
  fallback: () => T
  parse: (text: string) => T
}

/** Thrown for a setting that makes no sense; its message is the one line the operator reads. */
export class BadSetting extends Error {}

/** The longest that Node can wait: with more seconds its timers end at once. */
const MOST_TIMER = 2_147_483
const MOST_DELAY = 31_536_000

const bad = (name: string, why: string): BadSetting => new BadSetting(`${name} ${why}`)

function text(name: string, fallback: string, meaning: string): Setting<string> {
  return { name, shown: fallback, meaning, fallback: () => fallback, parse: value => value }
}

function optional(name: string, meaning: string): Setting<string | null> {
  return { name, shown: '', meaning, fallback: () => null, parse: value => value }
}

function whole(
  name: string,
  fallback: number,
  meaning: string,
  min = 1,
  max = Number.MAX_SAFE_INTEGER,
): Setting<number> {
  const parse = (value: string): number => {
    const n = Number(value)
    if (!/^\d+$/.test(value) || n < min || n > max)
      throw bad(name, `must be a whole number from ${min} to ${max}, not "${value}"`)
    return n
  }
  return { name, shown: String(fallback), meaning, fallback: () => fallback, parse }
}

function flag(name: string, meaning: string): Setting<boolean> {
  const parse = (value: string): boolean => {
    if (value === 'true' || value === '1') return true
    if (value === 'false' || value === '0') return false
    throw bad(name, `must be true or false, not "${value}"`)
  }
  return { name, shown: 'false', meaning, fallback: () => false, parse }
}

function choice<const T extends string>(name: string, values: readonly T[], fallback: T, meaning: string): Setting<T> {
  const parse = (value: string): T => {
    if (!(values as readonly string[]).includes(value))
      throw bad(name, `must be one of ${values.join(', ')}, not "${value}"`)
    return value as T
  }
  return { name, shown: fallback, meaning, fallback: () => fallback, parse }
}

function list(name: string, meaning: string, check: (item: string) => void = () => {}): Setting<string[]> {
  const parse = (value: string): string[] => {
    const items = value
      .split(',')
      .map(item => item.trim())
      .filter(item => item !== '')
    items.forEach(check)
    return items
  }
  return { name, shown: '', meaning, fallback: () => [], parse }
}

/** A path is one from the working directory on; media processes have another one. */
function packages(name: string, meaning: string): Setting<string[]> {
  const { parse, ...rest } = list(name, meaning)
  return { ...rest, parse: value => parse(value).map(item => (item.startsWith('.') ? resolve(item) : item)) }
}

function ranges(name: string, meaning: string): Setting<string[]> {
  return list(name, meaning, item => {
    if (!ipaddr.isValidCIDR(item) && isIP(item) === 0)
      throw bad(name, `must be a comma list of IP addresses and CIDR ranges, not "${item}"`)
  })
}

/** Whoever guesses must not get anywhere, however weak the rest of the world's passwords are. */
export const TOKEN_LENGTH = 24

function token(name: string, meaning: string): Setting<string | null> {
  const parse = (value: string): string => {
    if (value.length < TOKEN_LENGTH)
      throw bad(name, `must have ${TOKEN_LENGTH} characters or more (make one with: openssl rand -hex 32)`)
    return value
  }
  return { name, shown: '', meaning, fallback: () => null, parse }
}

function seconds(name: string, fallback: number[], meaning: string): Setting<number[]> {
  const parse = (value: string): number[] =>
    value.split(',').map(item => {
      const n = Number(item.trim())
      if (item.trim() === '' || !(n >= 0 && n <= MOST_DELAY))
        throw bad(name, `must be a comma list of seconds from 0 to ${MOST_DELAY}, not "${value}"`)
      return n
    })
  return { name, shown: fallback.join(','), meaning, fallback: () => fallback, parse }
}

function secretKeys(name: string, meaning: string): Setting<Buffer[] | null> {
  const parse = (value: string): Buffer[] =>
    value.split(',').map(item => {
      const key = Buffer.from(item.trim(), 'base64')
      if (key.length !== 32) throw bad(name, 'must be 32 bytes in base64 (make one with: openssl rand -base64 32)')
      return key
    })
  return { name, shown: '', meaning, fallback: () => null, parse }
}

function url(name: string, protocols: string[], meaning: string): Setting<string | null> {
  const parse = (value: string): string => {
    if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol))
      throw bad(name, `must be a URL starting with ${protocols.map(p => `${p}//`).join(' or ')}`)
    return value
  }
  return { name, shown: '', meaning, fallback: () => null, parse }
}

/** Scheme, host and port, without a slash at its end. */
function origin(name: string, meaning: string): Setting<string | null> {
  return {
    ...url(name, ['http:', 'https:'], meaning),
    parse: value => {
      if (!/^https?:/i.test(value) || !URL.canParse(value))
        throw bad(name, 'must be a URL starting with http:// or https://')
      const { origin, pathname, search, hash, username } = new URL(value)
      if (pathname !== '/' || search !== '' || hash !== '' || username !== '')
        throw bad(name, `must be scheme, host and port alone, like https://photos.example.com, not "${value}"`)
      return origin
    },
  }
}

const MiB = 1024 ** 2
const GiB = 1024 ** 3

export const table = {
  host: text('HOST', '127.0.0.1', 'Address the service listens on.'),
  port: whole('PORT', 8080, 'Port the service listens on; 0 picks a free one.', 0, 65535),
  data: text(
    'KEEPSAKE_DATA',
    './data',
    'Folder of the embedded database, the files and the keys. Safe to copy when stopped.',
  ),
  databaseUrl: url(
    'DATABASE_URL',
    ['postgres:', 'postgresql:'],
    'An external PostgreSQL (15 or newer). Unset: one is embedded and kept in the data folder.',
  ),
  databaseSessionUrl: url(
    'DATABASE_SESSION_URL',
    ['postgres:', 'postgresql:'],
    'The same database past the pooler, when DATABASE_URL leads through one in transaction mode: for what needs a connection of its own.',
  ),
  blobs: optional(
    'KEEPSAKE_BLOBS',
    'Where files are kept: `file:PATH` on a local disk (default: `blobs` in the data folder) or `s3://BUCKET/PREFIX?endpoint=URL&region=R`.',
  ),
  s3AccessKey: optional('AWS_ACCESS_KEY_ID', 'Access key of an S3 blob store.'),
  s3SecretKey: optional('AWS_SECRET_ACCESS_KEY', 'Secret key of an S3 blob store.'),
  s3SessionToken: optional('AWS_SESSION_TOKEN', 'Session token of an S3 blob store.'),
  role: choice(
    'KEEPSAKE_ROLE',
    ['all', 'api', 'worker'],
    'all',
    'What this machine does; `api` and `worker` need DATABASE_URL.',
  ),
  concurrency: whole(
    'KEEPSAKE_CONCURRENCY',
    availableParallelism(),
    'Encodes at once per worker; twice as many pictures. Default: the cores.',
    1,
    256,
  ),
  adminToken: token(
    'KEEPSAKE_ADMIN_TOKEN',
    'A token that is always valid, of 24 characters or more. Unset: one is made at the first start and kept as `admin-token` in the data folder.',
  ),
  secretKeys: secretKeys(
    'KEEPSAKE_SECRET_KEY',
    'Key for secrets at rest: 32 bytes, base64; to change it a comma list, the newest first, and `keepsake rotate-key`. Unset: made at the first start as `secret-key` in the data folder.',
  ),
  allowHosts: list(
    'KEEPSAKE_ALLOW_HOSTS',
    'Comma list of hosts, IPs or CIDRs that callbacks, adapters and input URLs may reach although they are private or plain HTTP.',
  ),
  corsOrigins: list('KEEPSAKE_CORS_ORIGINS', 'Comma list of web origins whose pages may call the API.'),
  trustProxy: ranges(
    'KEEPSAKE_TRUST_PROXY',
    'Comma list of IP addresses or CIDR ranges of proxies in front: their `X-Forwarded-For` says who asks. Unset: whoever connects.',
  ),
  callbackDelays: seconds(
    'KEEPSAKE_CALLBACK_DELAYS',
    [5, 30, 120, 600, 1800, 3600, 10800, 21600, 43200, 86400],
    'Seconds between the attempts of a callback.',
  ),
  openMetrics: flag('KEEPSAKE_OPEN_METRICS', 'Serve /metrics without a token.'),
  logLevel: choice(
    'KEEPSAKE_LOG_LEVEL',
    ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    'info',
    'How much is logged.',
  ),
  adapters: packages(
    'KEEPSAKE_ADAPTERS',
    'Comma list of packages that bring further adapters: names, or paths of their folders ([how](adapters/writing.md#load-it)).',
  ),
  publicUrl: origin(
    'KEEPSAKE_PUBLIC_URL',
    'Address under which guests reach their pages, like `https://photos.example.com`. Unset: `http://HOST:PORT`. With a host of its own only the pages of guests are served there.',
  ),
  localRoot: optional(
    'KEEPSAKE_LOCAL_ROOT',
    'Folder below which `local_file` may write; `{experience_id}` in it gives each experience a folder of its own. Unset: that adapter is off.',
  ),
  ffmpeg: text('FFMPEG_PATH', 'ffmpeg', 'The ffmpeg to use, 5.1 or newer.'),
  ffprobe: text('FFPROBE_PATH', 'ffprobe', 'The ffprobe to use.'),
  keepFilesDays: whole(
    'KEEPSAKE_KEEP_FILES_DAYS',
    7,
    'Days the files of a finished task are kept (an experience may set its own).',
    0,
    36500,
  ),
  keepRecordsDays: whole('KEEPSAKE_KEEP_RECORDS_DAYS', 90, 'Days the record of a finished task is kept.', 1, 36500),
  keepVersionsDays: whole(
    'KEEPSAKE_KEEP_VERSIONS_DAYS',
    90,
    'Days a replaced version of a configuration or an asset is kept, with its file.',
    0,
    36500,
  ),
  maxVersions: whole(
    'KEEPSAKE_MAX_VERSIONS',
    20,
    'Versions of one configuration or asset that are kept beside the current one.',
    0,
    1000,
  ),
  keepAuditDays: whole('KEEPSAKE_KEEP_AUDIT_DAYS', 365, 'Days the audit keeps who changed what.', 1, 36500),
  maxUploadBytes: whole('KEEPSAKE_MAX_UPLOAD_BYTES', 4 * GiB, 'Bytes of one uploaded file.'),
  maxOpenUploads: whole(
    'KEEPSAKE_MAX_OPEN_UPLOADS',
    1_000,
    'Resumable uploads of one token that no task has taken yet, finished or not.',
  ),
  maxRequestBytes: whole('KEEPSAKE_MAX_REQUEST_BYTES', 16 * GiB, 'Bytes of one multipart request with all its files.'),
  maxParts: whole('KEEPSAKE_MAX_PARTS', 256, 'Parts of one multipart request.'),
  maxExtrasBytes: whole('KEEPSAKE_MAX_EXTRAS_BYTES', 256 * 1024, 'Bytes of `extras`.'),
  maxChain: whole('KEEPSAKE_MAX_CHAIN', 64, 'Entries of a chain once unfolded.'),
  maxGroup: whole('KEEPSAKE_MAX_GROUP', 64, 'Configurations of a task group.'),
  maxPixels: whole('KEEPSAKE_MAX_PIXELS', 150_000_000, 'Pixels of a picture (width × height).'),
  maxFrames: whole('KEEPSAKE_MAX_FRAMES', 500, 'Frames of an animated picture.'),
  maxMemoryBytes: whole(
    'KEEPSAKE_MAX_MEMORY_BYTES',
    1 * GiB,
    'Memory that the pictures of one worker, and what options have drawn on them, may take together; big ones wait for room. Beside work that lasts longer than a few seconds there is the same room once more.',
    64 * MiB,
  ),
  maxVideoSeconds: whole('KEEPSAKE_MAX_VIDEO_SECONDS', 4 * 3600, 'Seconds of a video or a recording.'),
  maxVideoPixels: whole('KEEPSAKE_MAX_VIDEO_PIXELS', 3840 * 2160, 'Pixels of a video frame.'),
  maxVideoFps: whole('KEEPSAKE_MAX_VIDEO_FPS', 240, 'Frames per second of a video; phones record slow motion at 240.'),
  maxEntrySeconds: whole('KEEPSAKE_MAX_ENTRY_SECONDS', 30 * 60, 'Running time of one entry.', 1, MOST_TIMER),
  maxTaskSeconds: whole(
    'KEEPSAKE_MAX_TASK_SECONDS',
    2 * 3600,
    'Running time of a task; waiting for a quota or a retry does not count.',
    1,
    MOST_TIMER,
  ),
  maxWaiting: whole(
    'KEEPSAKE_MAX_WAITING',
    100_000,
    'Tasks waiting at once; then requests are answered 503 with Retry-After.',
  ),
  maxPreviews: whole(
    'KEEPSAKE_MAX_PREVIEWS',
    2,
    'Previews and outputs of melted entries that one API makes at once, half of them for one token; further ones wait.',
  ),
  maxRequests: whole(
    'KEEPSAKE_MAX_REQUESTS',
    500,
    'Requests of one token under way at once at one API, uploads and downloads too; then they are answered 429.',
  ),
  maxConnections: whole(
    'KEEPSAKE_MAX_CONNECTIONS',
    4_000,
    'Connections to one API at once; further ones are closed as they come.',
  ),
  maxSignIns: whole('KEEPSAKE_MAX_SIGN_INS', 10, 'Sign-ins to the console a minute from one address, at one API.'),
  maxBadTokens: whole(
    'KEEPSAKE_MAX_BAD_TOKENS',
    3_000,
    'Requests with a token or cookie that is not valid a minute from one address, at one API; then only those that were valid here before are looked at.',
  ),
  failpoint: optional(
    'KEEPSAKE_FAILPOINT',
    'For tests of crashes: `NAME:FLAGFILE` kills the process at that place, once; `NAME#2:FLAGFILE` the second time it comes there. Never set it where work matters.',
  ),
} as const

export type Settings = { readonly [K in keyof typeof table]: ReturnType<(typeof table)[K]['fallback']> }

/** Settings from the environment over those of a `.env` file in the working directory. */
export function loadSettings(env: NodeJS.ProcessEnv = process.env, envFile = resolve('.env')): Settings {
  const values = { ...(existsSync(envFile) ? parseEnv(readFileSync(envFile, 'utf8')) : {}), ...env }
  const read = Object.entries(table).map(([key, setting]: [string, Setting<unknown>]) => {
    const value = values[setting.name]?.trim()
    return [key, value === undefined || value === '' ? setting.fallback() : setting.parse(value)]
  })
  const settings = Object.fromEntries(read) as Settings
  if (settings.databaseSessionUrl !== null && settings.databaseUrl === null)
    throw bad(table.databaseSessionUrl.name, 'is for a pooler that DATABASE_URL names, which is not set')
  return Object.freeze({ ...settings, data: resolve(settings.data) })
}

/** The address that guests see. It never comes from a request. */
export const publicUrlOf = ({ publicUrl, host, port }: Pick<Settings, 'publicUrl' | 'host' | 'port'>): string =>
  publicUrl ?? `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`

/** The environment that our own processes are started with. */
export const ownEnvironment = (): NodeJS.ProcessEnv => process.env

/** All that a media child sees of our settings: whose adapters it runs. */
export function mediaEnvironment({ adapters }: Pick<Settings, 'adapters'>): Record<string, string> {
  return adapters.length === 0 ? {} : { KEEPSAKE_ADAPTERS: adapters.join(',') }
}

/** Where programs are looked for. */
export const searchPath = (): string => process.env.PATH ?? ''

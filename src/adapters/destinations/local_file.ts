// local_file: puts the file into a folder of this machine, below a root that its operator has set.
import { constants } from 'node:fs'
import { lstat, mkdir, open, readFile, realpath, rename, rm, unlink } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import Type, { type Static } from 'typebox'
import { type DeliveryStep, type DestinationAdapter, destinationAdapter } from '#engine/adapter.ts'
import { badOption, Problem } from '#kit/errors.ts'
import type { JsonObject } from '#kit/json.ts'
import type { MediaFile } from '#media/file/file.ts'
import { newMeter } from '../delivery/bytes.ts'
import { newProbe, tried } from '../delivery/check-lines.ts'
import { keyOf, naming, patience } from '../delivery/delivery-options.ts'
import { refused, unreachable } from '../delivery/failure.ts'
import { remarksBy, reviewNaming } from '../delivery/review.ts'

const options = Type.Object(
  {
    folder: Type.String({
      description:
        'Folder below the root (`KEEPSAKE_LOCAL_ROOT`) to put the file into; made when it is missing. Empty: the root itself.',
      placeholders: 'path',
      role: 'place',
      default: '',
      maxLength: 512,
      examples: ['prints/hall-2'],
    }),
    ...naming,
    ...patience,
  },
  { additionalProperties: false },
)

const switchedOff = () => refused('local_file is off on this machine: its operator has not set KEEPSAKE_LOCAL_ROOT')

type LocalStep = Pick<DeliveryStep<Static<typeof options>>, 'options' | 'marker' | 'signal' | 'progress'>

export function localFile(root: string | null): DestinationAdapter {
  return destinationAdapter({
    name: 'local_file',
    summary: 'Puts the file into a folder of this machine.',
    accepts: ['image', 'video', 'audio', 'file'],
    makes: 'same',
    options,
    result: Type.Object({
      folder: Type.String({ description: 'The folder below the root.' }),
      file_key: Type.String({ description: 'The name of the file there, with its prefix.' }),
    }),
    ownWords: ['folder', 'file_key'],
    off: () => (root === null ? switchedOff().message : null),

    review: options => [
      ...(options.folder.includes('{{') ? [] : remarksBy(() => insideOf(options.folder))),
      ...reviewNaming(options),
    ],

    async deliver(input, step) {
      const key = keyOf(step.options)
      const { folder } = step.options
      const place = await inWords(async () => {
        const place = await placeFor(root, folder, key, step)
        await takeOver(place, isFrom(step.checkpoint, folder, key), step)
        return place
      }, step.signal)
      await step.save({ folder, file_key: key })
      await inWords(() => copy(input, place.path, step), step.signal)
      return { folder, file_key: key }
    },

    async abandon(step) {
      const { folder, file_key: key } = step.checkpoint ?? {}
      if (typeof folder !== 'string' || typeof key !== 'string') return
      await inWords(async () => {
        const { path } = await placeFor(root, folder, key, step)
        await rm(asideOf(path, step.marker), { force: true })
      }, step.signal)
    },

    aims({ options }) {
      const key = keyOf(options)
      insideOf(options.folder)
      nameIn(key)
      if ([options.folder, key].some(path => path.split('/').some(part => Buffer.byteLength(part) > MOST_PART_BYTES)))
        throw tooLong()
      return { folder: options.folder, file_key: key }
    },

    async retract(delivered, step) {
      const { folder, file_key: key } = delivered
      if (typeof folder !== 'string' || typeof key !== 'string')
        throw new Problem('internal', 'That is no result of local_file.')
      await inWords(async () => {
        const { path, shared } = await placeFor(root, folder, key, step)
        if (shared !== null && (await step.places.owner(shared)) === 'others')
          throw refused('Another experience has delivered to that place since, so what lies there stays')
        await rm(path, { force: true })
      }, step.signal)
    },

    async *check(step) {
      const { name, content } = newProbe()
      let path = ''
      const written = await tried('Write a file', () =>
        inWords(async () => {
          const key = keyOf({ file_prefix: step.options.file_prefix, file_name: name })
          path = (await placeFor(root, step.options.folder, key, step)).path
          await writeAside(path, step.marker, file => file.writeFile(content))
          return 'A small file was written.'
        }, step.signal),
      )
      yield written
      if (!written.ok) return
      yield await tried('Read it back', () =>
        inWords(async () => {
          if (!content.equals(await readFile(path))) throw refused('What came back differs from what was written')
          return 'The same bytes came back.'
        }, step.signal),
      )
      yield await tried('Delete it', () =>
        inWords(async () => {
          await unlink(path)
          return 'The small file is gone again.'
        }, step.signal),
      )
    },
  })
}

const EXPERIENCE = '{experience_id}'

/** Its operator may give each experience a folder of its own, so that none can write over a file of another. */
const rootFor = (root: string | null, { experienceId }: Pick<DeliveryStep, 'experienceId'>): string | null =>
  root?.replaceAll(EXPERIENCE, folderName(experienceId)) ?? null

/** One folder, whatever the id is: no separator, no dots alone, nothing that another id becomes too. */
const folderName = (id: string): string =>
  encodeURIComponent(id.toWellFormed()).replace(/^\.+$/, dots => dots.replaceAll('.', '%2E'))

/** The folder without detours; no key leads out of it. */
function insideOf(folder: string): string {
  const inside = join(folder)
  if (isAbsolute(folder) || inside.split(sep).includes('..') || folder.includes('\0'))
    throw badOption('folder', 'must lie below the root: no leading "/", no ".."')
  return inside
}

/** Of a file or a folder, on every file system in use. */
const MOST_PART_BYTES = 255
const tooLong = (cause?: unknown) => refused('The name is too long for this disk', '', cause)

function nameIn(key: string): string {
  const name = key.slice(key.lastIndexOf('/') + 1)
  if (ASIDE.test(name)) throw badOption('file_name', 'must not be that of an unfinished file of local_file')
  return name
}

interface Place {
  path: string
  /** Its name among the places of all experiences; null where the root is this experience's alone. */
  shared: string | null
}

type Placing = Pick<DeliveryStep, 'experienceId' | 'places'>

/** Where the file goes. No link may lead out of the root, so what exists is looked at before anything is made. */
async function placeFor(setting: string | null, folder: string, key: string, step: Placing): Promise<Place> {
  const root = rootFor(setting, step)
  if (root === null) throw switchedOff()
  const name = nameIn(key)
  const inside = join(insideOf(folder), dirname(key))
  await mkdir(root, { recursive: true })
  const top = await realpath(root)
  const isShared = root === setting
  let here = top
  for (const part of inside.split(sep).filter(part => part !== '' && part !== '.')) {
    const next = join(here, part)
    if (isShared && !(await isThere(next)) && (await step.places.owner(relative(top, next))) === 'others') throw taken()
    await mkdir(next).catch(ignoring('EEXIST'))
    here = await realpath(next)
    if (!here.startsWith(top + sep)) throw refused('The folder leads out of the root by a link')
  }
  const path = join(here, name)
  return { path, shared: isShared ? relative(top, path) : null }
}

/** What lies there is replaced only by the experience that put it there; what nobody is known to have delivered, by none. */
async function takeOver({ path, shared }: Place, isBegun: boolean, { places }: Placing): Promise<void> {
  if (shared === null) return
  let owner = await places.owner(shared)
  if (owner === null) {
    if (isBegun || !(await isThere(path))) await places.take(shared)
    // Also where something lies there: whoever put it there meanwhile has taken the place before.
    owner = await places.owner(shared)
  }
  if (owner !== 'ours') throw taken()
}

const taken = () =>
  refused(
    'The place belongs to another experience, or something lies there that this one has not delivered. Accepted is a folder, file_prefix or file_name of its own, such as "{{experience_id}}/" as file_prefix',
  )

/** Only what had got so far that it might be there is noted, so it is our own file. */
const isFrom = (checkpoint: JsonObject | null, folder: string, key: string): boolean =>
  checkpoint?.folder === folder && checkpoint.file_key === key

const isThere = async (path: string): Promise<boolean> => (await lstat(path).catch(ignoring('ENOENT'))) !== undefined

async function copy({ path, bytes }: MediaFile, to: string, step: LocalStep): Promise<void> {
  const meter = newMeter(bytes, step.progress)
  await using source = await open(path)
  await writeAside(to, step.marker, async file => {
    const buffer = Buffer.allocUnsafeSlow(1024 ** 2)
    for (;;) {
      step.signal.throwIfAborted()
      const { bytesRead } = await source.read(buffer)
      if (bytesRead === 0) break
      await file.writeFile(buffer.subarray(0, bytesRead))
      meter.add(bytesRead)
    }
    step.signal.throwIfAborted()
  })
  meter.set(bytes)
}

/** Nobody delivers under the name that the unfinished file of another may have. */
const ASIDE = /^\.keepsake-.*\.part$/i

const asideOf = (to: string, marker: string): string => join(dirname(to), `.keepsake-${marker}.part`)

type Handle = Awaited<ReturnType<typeof open>>

/** Nobody sees half a file: it is written beside its place, made durable, and renamed over it. */
async function writeAside(to: string, marker: string, write: (file: Handle) => Promise<void>): Promise<void> {
  const aside = asideOf(to, marker)
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants
  try {
    await using file = await open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o644)
    await write(file)
    await file.sync()
    await rename(aside, to)
  } catch (error) {
    await unlink(aside).catch(ignoring('ENOENT'))
    throw error
  }
  await using folder = await open(dirname(to), 'r')
  await folder.sync()
}

const codeOf = (error: unknown): string => (error as { code?: string } | null)?.code ?? ''

const ignoring =
  (code: string) =>
  (error: unknown): void => {
    if (codeOf(error) !== code) throw error
  }

/** Errors of the disk as sentences without paths. */
async function inWords<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await work()
  } catch (error) {
    signal.throwIfAborted()
    const code = codeOf(error)
    if (code === 'ENOSPC' || code === 'EDQUOT')
      throw unreachable('The disk of the local folder is full', '', { cause: error })
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
      throw refused('The service may not write to the local folder', '', error)
    if (code === 'ENOTDIR' || code === 'EISDIR' || code === 'ELOOP')
      throw refused('Something else already lies where the file should go', '', error)
    if (code === 'ENAMETOOLONG') throw tooLong(error)
    if (code.startsWith('E') && !(error instanceof Problem))
      throw unreachable(`The local folder cannot be used now (${code})`, '', { cause: error })
    throw error
  }
}

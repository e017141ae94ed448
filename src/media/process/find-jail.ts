// Finds the strongest jail for media children on this machine. Tries each one at start with the command line used later.
import { randomUUID } from 'node:crypto'
import { realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { answerOf, type Patience, usualPatience } from './answer-of.ts'
import { letPass, newRoom } from './child-room.ts'
import { type Jail, jailLine, noJail, type VisiblePaths } from './jail.ts'
import { which } from './which.ts'

const MEMORY = 4 * 1024 ** 3
/** Reads the files that a child needs and writes to its room. Another user may lack the rights for that. */
const TRY = `const fs = require('node:fs')
  for (const path of process.argv.slice(1)) fs.accessSync(path, fs.constants.R_OK)
  fs.writeFileSync(require('node:os').tmpdir() + '/tried', '')`

/** The child that is started as a trial. */
interface Trial {
  sight: VisiblePaths
  env: Record<string, string>
  /** Parent folder of the rooms. It may lie inside folders that only our user can pass. */
  rooms: string
}

/**
 * Returns the strongest jail that works here. `path` is searched like PATH in a shell. Throws `NoAnswer` when the machine kept one
 * from being tried: a weaker one is no substitute.
 */
export async function findJail(path: string, trial: Trial, patience: Patience = usualPatience): Promise<Jail> {
  const [prlimit = null, bwrap = null, setpriv = null] = await Promise.all(
    ['prlimit', 'bwrap', 'setpriv'].map(async name => {
      const found = await which(name, path)
      return found && realpath(found)
    }),
  )
  const user = process.getuid?.() === 0 ? setpriv : null
  const limited = { ...noJail, prlimit }
  const wishes: Jail[] = [
    { ...limited, bwrap, setpriv: user, ownProc: true },
    { ...limited, bwrap, setpriv: user },
    { ...limited, bwrap, ownProc: true },
    { ...limited, bwrap },
    { ...limited, setpriv: user },
    limited,
  ]
  const program = [process.execPath, '-e', TRY, ...trial.sight.reads]
  for (const jail of wishes) if (await works(jail, trial, program, patience)) return jail
  return noJail
}

async function works(
  jail: Jail,
  { sight, env, rooms }: Trial,
  program: readonly string[],
  patience: Patience,
): Promise<boolean> {
  const folder = join(rooms, `trial-${randomUUID()}`)
  try {
    const answer = await answerOf('the trial jail', patience, run => {
      const room = newRoom(folder, jail.setpriv ? FIRST_USER : null)
      if (jail.setpriv && !jail.bwrap) letPass(rooms)
      const [command = '', ...args] = [...jailLine(jail, room, sight, { memoryBytes: MEMORY }), ...program]
      return run(command, args, { ...env, TMPDIR: room.tmp })
    })
    return answer !== null
  } finally {
    // A child that was just ended may still write into it.
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }
}

/** User ids that Debian leaves unused. These users have no name and no home, and own no files outside their room. */
const FIRST_USER = 65_100
const USERS = 400
let given = Math.floor(Math.random() * USERS)

/** User id for the next child. Children that run at the same time have different ids, so they cannot touch each other. */
export const nextUser = ({ setpriv }: Jail): number | null => (setpriv ? FIRST_USER + (given++ % USERS) : null)

/** Describes the limits around every media child, for the start log and the check-up. */
export function describeJail({ prlimit, bwrap, setpriv, ownProc }: Jail): string {
  const root = process.getuid?.() === 0
  const user = setpriv
    ? 'a user of its own without capabilities'
    : root
      ? 'ROOT, because setpriv is not there, not allowed, or other users cannot get to the code and the data folder'
      : 'the user that runs Keepsake'
  const limits = prlimit
    ? 'kernel limits on memory, processor time, files, file size and processes'
    : 'NO kernel limits, because prlimit is not there'
  const sees = bwrap
    ? `own namespaces without network${ownProc ? '' : ' and without /proc'}, sees its room and the programs alone`
    : 'NO namespaces, because bubblewrap is not there or not allowed'
  return `${user}; ${limits}; ${sees}; empty environment`
}

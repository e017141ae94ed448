// keepsake rotate-key: seals everything anew with the newest secret key while the service runs. Then the earlier keys can be removed.
import { type Db, openDatabase } from '#db/database.ts'
import { migrate } from '#db/migrate.ts'
import { oneAtATime } from '#db/one-at-a-time.ts'
import { connectionName, othersRunning, type RunningProcess } from '#db/running.ts'
import { type Renew, sealedThings } from '#db/sealed.ts'
import { endRotation, moveProof, proveSecretKey } from '#db/secret-key.ts'
import { newLog } from '#kit/log.ts'
import { loadKeys } from '#kit/secret/keys.ts'
import { type SecretBox, sealedBy, secretBox } from '#kit/secret/secrets.ts'
import type { Settings } from '#kit/settings.ts'
import { withDatabase } from '#postgres/with-database.ts'

const LOCK = 0x726f7461 // 'rota'
/** Each pass finds what was written during the one before. More are needed only if something keeps writing with an earlier key. */
const MOST_PASSES = 5

type Print = (line: string) => void

/** Returns the exit code: 0 if no value needs an earlier key, and no running process would write one. */
export async function rotateKey(settings: Settings, print: Print): Promise<number> {
  return withDatabase(settings, async url => {
    await migrate(url)
    const box = secretBox(loadKeys(settings).secretKeys)
    const name = connectionName('rotate-key', box.keyIds)
    const database = openDatabase(url, newLog('warn', 'rotate-key'), { max: 3, name })
    try {
      await proveSecretKey(database.db, box)
      return await oneAtATime(database.db, LOCK, () => rotate(database, box, print))
    } finally {
      await database.close()
    }
  })
}

async function rotate({ db }: { db: Db }, box: SecretBox, print: Print): Promise<number> {
  const [newest] = box.keyIds as [string]
  const unaware = async () => (await othersRunning(db)).filter(({ keyIds }) => !keyIds.includes(newest))
  if (refused(await unaware(), print)) return 1
  await moveProof(db, box)
  // A process that was just starting is visible now; a later one cannot start without the newest key.
  if (refused(await unaware(), print)) return 1
  const counts = newCounts()
  for (let pass = 1; pass <= MOST_PASSES; pass++) if ((await sealAnew(db, box, counts)) === 0) break
  for (const [what, { anew, unopened }] of Object.entries(counts))
    print(
      `${what}: ${anew} sealed anew${unopened === 0 ? '' : `; ${unopened} that no key here opens were left as they are`}`,
    )
  const left = await countEarlier(db, box)
  const late = (await othersRunning(db)).filter(({ keyIds }) => keyIds[0] !== newest)
  for (const each of late)
    print(`${each.name} still seals with an earlier key: restart it with the newest key in front, and run this again`)
  if (left.earlier > 0) print(`${left.earlier} are sealed with an earlier key again: run this again`)
  if (late.length > 0 || left.earlier > 0) return 1
  await endRotation(db)
  print(
    `done: all ${left.all} secrets are sealed with the newest key; the others can be taken out of KEEPSAKE_SECRET_KEY`,
  )
  return 0
}

function refused(processes: readonly RunningProcess[], print: Print): boolean {
  for (const each of processes)
    print(
      `${each.name} does not know the newest key: restart it with the newest key in front and the earlier one behind, then run this`,
    )
  return processes.length > 0
}

type Counts = Record<string, { anew: number; unopened: number }>

const newCounts = (): Counts =>
  Object.fromEntries(Object.keys(sealedThings).map(what => [what, { anew: 0, unopened: 0 }]))

/** One pass over all sealed values; returns how many were sealed anew. */
async function sealAnew(db: Db, box: SecretBox, counts: Counts): Promise<number> {
  let sum = 0
  for (const [what, walk] of Object.entries(sealedThings)) {
    const own = { anew: 0, unopened: 0 }
    const renew: Renew = (sealed, row) => {
      if (sealedBy(sealed) === box.keyIds[0]) return null
      const plain = opened(box, sealed, row)
      if (plain === null) own.unopened++
      else own.anew++
      return plain === null ? null : box.seal(plain, row)
    }
    await walk(db, renew)
    counts[what] = { anew: (counts[what]?.anew ?? 0) + own.anew, unopened: own.unopened }
    sum += own.anew
  }
  return sum
}

/** Null if no known key opens it: the value is lost already. */
function opened(box: SecretBox, sealed: Buffer, row: string): string | null {
  try {
    return box.open(sealed, row)
  } catch {
    return null
  }
}

/** How many values are sealed in all, how many with an earlier key, and how many with a lost one. */
export async function countEarlier(db: Db, box: SecretBox): Promise<{ all: number; earlier: number; lost: number }> {
  const count = { all: 0, earlier: 0, lost: 0 }
  for (const walk of Object.values(sealedThings))
    await walk(db, (sealed, row) => {
      count.all++
      if (sealedBy(sealed) !== box.keyIds[0]) {
        if (opened(box, sealed, row) === null) count.lost++
        else count.earlier++
      }
      return null
    })
  return count
}

// Has one media child look at a recording before and after a system file was renamed over: `node replaced-file.ts PATH TOOLS`.
import { copyFileSync, renameSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { probeWork } from '#engine/children/child-work.ts'
import { newPool } from '#media/process/pool.ts'
import { limits } from '../support/pictures.ts'
import { jailed, jailedRoom } from '../support/rooms.ts'

const [path = '', tools = '{}'] = process.argv.slice(2)
const script = fileURLToPath(new URL('../../src/child.ts', import.meta.url))
const CACHE = '/etc/ld.so.cache'

const pool = newPool({ script, newRoom: jailedRoom, jailed, size: 1 })
const look = async (): Promise<void> => {
  const { ext } = await pool.run(probeWork({ kind: 'probe', path, limits, tools: JSON.parse(tools) }))
  process.stdout.write(`${ext.slice(1)}\n`)
}
await look()
copyFileSync(CACHE, `${CACHE}~`)
renameSync(`${CACHE}~`, CACHE)
await look()
await pool.drain()

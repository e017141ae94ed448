// A media child works inside of every jail that a machine may allow, and the words about it are true.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { segmentWork } from '#engine/children/child-work.ts'
import { letPass, newRoom } from '#media/process/child-room.ts'
import { describeJail, findJail, nextUser } from '#media/process/find-jail.ts'
import { jailLine } from '#media/process/jail.ts'
import { newPool } from '#media/process/pool.ts'
import { which } from '#media/process/which.ts'
import { limits, newFolder, noTools, png, scene } from '../support/pictures.ts'
import { jail, roomFolder, sight } from '../support/rooms.ts'

const isRoot = process.getuid?.() === 0
const script = fileURLToPath(new URL('../../src/child.ts', import.meta.url))

/** A PATH with these tools alone. */
async function pathWith(tools: string[]): Promise<string> {
  const folder = roomFolder()
  mkdirSync(folder)
  for (const tool of tools) {
    const found = await which(tool, process.env.PATH ?? '')
    if (found) symlinkSync(found, join(folder, tool))
  }
  return folder
}

test('a tool inside of a child has namespaces of its own, wherever the data folder lies', async t => {
  const elsewhere = mkdtempSync('/var/tmp/keepsake-jail-')
  t.after(() => rmSync(elsewhere, { recursive: true, force: true }))
  if (!jail.bwrap) return t.skip('there is no bubblewrap here, or it may not be used')
  const found = await findJail(process.env.PATH ?? '', { sight, env: {}, rooms: join(elsewhere, 'rooms') })
  assert.equal(found.nested, jail.nested)
})

for (const tools of [['prlimit', 'bwrap', 'setpriv'], ['prlimit', 'bwrap'], ['prlimit', 'setpriv'], ['prlimit'], []]) {
  test(`with ${tools.join(', ') || 'nothing'}: a photo is turned, and what is said of the jail is so`, async t => {
    await using folder = await newFolder()
    const data = roomFolder()
    const rooms = join(data, 'rooms')
    mkdirSync(data, { mode: 0o700 })
    const jail = await findJail(await pathWith(tools), { sight, env: {}, rooms })
    const pool = newPool({
      script,
      newRoom() {
        const room = newRoom(join(rooms, 'process', '1'), nextUser(jail))
        if (jail.setpriv && !jail.bwrap) letPass(rooms)
        return room
      },
      jailed: room => jailLine(jail, room, sight, { memoryBytes: 3 * 1024 ** 3 }),
      size: 1,
    })
    t.after(() => pool.drain())
    const { output } = await pool.run(
      segmentWork({
        kind: 'segment',
        form: 'image',
        input: await folder.file('in.png', await png(scene(80, 60))),
        entries: [{ index: 0, adapter: 'photo_flip', options: { method: 'ROTATE_90' }, assets: {}, context: {} }],
        folder: await folder.empty(),
        limits,
        tools: noTools,
        threads: 1,
      }),
    )
    assert.deepEqual([output.width, output.height], [60, 80])
    const said = describeJail(jail)
    assert.equal(jail.prlimit !== null, tools.includes('prlimit'))
    assert.equal(/NO kernel limits/.test(said), jail.prlimit === null)
    assert.equal(/NO namespaces/.test(said), jail.bwrap === null)
    if (!isRoot) return
    assert.equal(jail.setpriv !== null, tools.includes('setpriv'))
    assert.equal(/ROOT/.test(said), jail.setpriv === null)
  })
}

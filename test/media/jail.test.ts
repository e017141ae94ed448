// A media child works inside of every jail that a machine may allow, and the words about it are true.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { segmentWork } from '#engine/children/child-work.ts'
import { letPass, newRoom } from '#media/process/child-room.ts'
import { describeJail, findJail, nextUser } from '#media/process/find-jail.ts'
import { jailLine } from '#media/process/jail.ts'
import { newPool } from '#media/process/pool.ts'
import { which } from '#media/process/which.ts'
import { limits, newFolder, noTools, png, scene } from '../support/pictures.ts'
import { jail, roomFolder, sight } from '../support/rooms.ts'
import { clip, fresh, tools, withFfmpeg } from '../support/videos.ts'

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

const unshare = await which('unshare', process.env.PATH ?? '')

test('a system file that is replaced under a child that lives stops no tool inside of it', {
  skip: !isRoot || !jail.bwrap || !unshare ? 'it needs root, bubblewrap and unshare' : withFfmpeg.skip,
}, async () => {
  const recording = await clip({ seconds: 0.4, size: '64x48', ext: '.avi' })
  // With an /etc of its own, so that the machine keeps its file.
  const etc = fresh()
  const alone = `cp -a /etc ${etc} && mount --bind ${etc} /etc && exec "$0" "$@"`
  const looked = fileURLToPath(new URL('./replaced-file.ts', import.meta.url))
  const args = ['-m', 'sh', '-c', alone, process.execPath, looked, recording.path, JSON.stringify(tools)]
  const { stdout } = await promisify(execFile)(unshare ?? '', args)
  assert.equal(stdout, 'avi\navi\n')
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

// The room of a media child: what is shown to it, what is taken out of it, and that nothing stays.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isProblem } from '#kit/errors.ts'
import { empty, removeRoom, show, takeOut } from '#media/process/child-room.ts'
import { jailedRoom, plainRoom, roomFolder } from '../support/rooms.ts'

function file(name: string, text: string, mode = 0o644): string {
  const folder = roomFolder()
  mkdirSync(folder)
  const path = join(folder, name)
  writeFileSync(path, text, { mode })
  return path
}

test('a file is shown by a link under its own name, the same file once, another of that name beside it', async () => {
  const room = plainRoom()
  const [first, second] = [file('photo', 'one'), file('photo', 'two')]
  assert.equal(await show(room, first), join(room.in, 'photo'))
  assert.equal(await show(room, first), join(room.in, 'photo'))
  const other = await show(room, second)
  assert.deepEqual([readFileSync(join(room.in, 'photo'), 'utf8'), readFileSync(other, 'utf8')], ['one', 'two'])
  assert.equal(statSync(first).ino, statSync(join(room.in, 'photo')).ino)
})

test('a file that is not there means that the store is away, not that the file is bad', () => {
  assert.throws(
    () => show(plainRoom(), '/no/such/file'),
    error => isProblem(error, 'unavailable'),
  )
})

test('a child that is another user can read what is shown, and what it made becomes ours', async t => {
  const room = jailedRoom()
  if (room.user === null) return t.skip('only root can start a child as another user')
  const shown = await show(room, file('secret', 'x', 0o600))
  assert.equal(statSync(shown).mode & 0o444, 0o444)
  assert.deepEqual([statSync(room.out).uid, statSync(room.tmp).uid, statSync(room.in).uid], [room.user, room.user, 0])
  const [made, to] = [join(room.out, 'made'), join(roomFolder())]
  writeFileSync(made, 'made')
  takeOut(room, made, to)
  assert.equal(statSync(to).uid, process.getuid?.())
})

test('only a plain file at the top of the room is taken out', () => {
  const room = plainRoom()
  const canary = file('canary', 'canary')
  const to = roomFolder()
  symlinkSync(canary, join(room.out, 'link'))
  mkdirSync(join(room.out, 'folder'))
  symlinkSync(join(canary, '..'), join(room.out, 'way'))
  for (const path of ['link', 'folder', 'way/canary', '../in/x', '../../x'].map(name => `${room.out}/${name}`))
    assert.throws(
      () => takeOut(room, path, to),
      error => isProblem(error, 'media_failed'),
      path,
    )
  assert.equal(readFileSync(canary, 'utf8'), 'canary')
})

test('a room is emptied of a few files at once, of many and of folders beside other work, and never through links', async () => {
  const room = plainRoom()
  const kept = file('kept', 'kept')
  symlinkSync(join(kept, '..'), join(room.out, 'way'))
  writeFileSync(join(room.tmp, 'a'), 'a')
  assert.equal(empty(room), undefined)
  for (let i = 0; i < 200; i++) writeFileSync(join(room.out, String(i)), '')
  mkdirSync(join(room.tmp, 'deep/deeper'), { recursive: true })
  symlinkSync(join(kept, '..'), join(room.tmp, 'deep/way'))
  await empty(room)
  assert.deepEqual(
    [room.in, room.out, room.tmp].flatMap(folder => readdirSync(folder)),
    [],
  )
  assert.equal(readFileSync(kept, 'utf8'), 'kept')
  await removeRoom(room)
})

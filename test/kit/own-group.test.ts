import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ownGroup } from '#kit/process/own-group.ts'
import { event, until } from '../support/until.ts'

/** Process group and session of a process. */
function kinship(pid: number): { group: number; session: number } {
  const [, , group, session] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)!.split(' ').map(Number)
  return { group: group!, session: session! }
}

test('a process leads a group of its own in our session, and all it starts ends with the group', {
  skip: process.platform !== 'linux' && 'reads /proc',
}, async t => {
  const { program, args, detached } = ownGroup('/bin/sh')
  const script = 'sleep 60 & echo $!; wait'
  const leader = spawn(program, [...args, '-c', script], { detached, stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => leader.kill('SIGKILL'))
  const [said] = (await event('it has started another', leader.stdout!, 'data')) as [Buffer]
  const started = Number(said.toString())
  const pid = leader.pid!
  assert.deepEqual(kinship(pid), { group: pid, session: detached ? pid : kinship(process.pid).session })
  assert.equal(kinship(started).group, pid)
  process.kill(-pid, 'SIGKILL')
  const [, signal] = await event('it has ended', leader, 'exit')
  assert.equal(signal, 'SIGKILL')
  // Whoever adopts the orphan may take a moment to bury it; it no longer runs.
  const state = () => {
    try {
      return readFileSync(`/proc/${started}/stat`, 'latin1').split(') ').at(-1)![0]
    } catch {
      return 'gone'
    }
  }
  await until('what it started has ended, too', () => ['Z', 'X', 'gone'].includes(state()!), undefined, 5)
})

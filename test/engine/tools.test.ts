// What a busy machine gives no answer about is asked again: it is neither missing nor a reason for a weaker jail.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findTools } from '#engine/children/tools.ts'
import { newLog } from '#kit/log.ts'
import { loadSettings } from '#kit/settings.ts'
import { jail } from '../support/rooms.ts'
import { firstInPath, shutTool } from '../support/shut-tool.ts'
import { soon } from '../support/until.ts'
import { fresh, withFfmpeg } from '../support/videos.ts'

const script = fileURLToPath(new URL('../../src/child.ts', import.meta.url))
const jailed = { skip: jail.bwrap ? false : 'there is no bubblewrap here, or it may not be used' }

for (const silence of ['hangs', 'is killed'] as const)
  for (const name of ['ffmpeg', 'bwrap'])
    test(`${name} that ${silence} at first: it is asked again, and only the true answer is kept`, {
      ...withFfmpeg,
      ...(name === 'bwrap' ? jailed : {}),
    }, async () => {
      using path = firstInPath()
      const tool = await shutTool(path.folder, name, silence)
      const data = fresh()
      mkdirSync(data)
      const file = join(data, 'tools.json')
      const heard: string[] = []
      const isKept: boolean[] = []
      const silent = name === 'ffmpeg' ? /^ffmpeg .*: videos wait until/ : /^the trial jail .*: media work waits until/
      const lines = {
        write(line: string) {
          const { msg } = JSON.parse(line)
          heard.push(msg)
          isKept.push(existsSync(file))
          if (silent.test(msg)) tool.open()
        },
      }
      const looks = await findTools({ ...loadSettings({}, join(data, '.env')), data }, script, {
        log: newLog('warn', 'test', lines),
        timeoutMs: 200,
      })
      const found = await soon('everything is known', looks.found)
      assert.match(heard.join('\n'), new RegExp(silent, 'm'))
      assert.ok(!isKept.includes(true), 'nothing was kept before')
      const whole = { ...jail, ...(name === 'bwrap' ? { bwrap: tool.path } : {}) }
      assert.deepEqual(await looks.jail, whole)
      assert.deepEqual([found.jail, found.off, looks.off()], [whole, [], []])
      assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')).found, found)
    })

test('a look that nobody wants any more keeps nothing', withFfmpeg, async () => {
  using path = firstInPath()
  await shutTool(path.folder, 'ffmpeg', 'hangs')
  const data = fresh()
  mkdirSync(data)
  const stop = new AbortController()
  const looks = await findTools({ ...loadSettings({}, join(data, '.env')), data }, script, {
    log: newLog('silent', 'test'),
    signal: stop.signal,
  })
  await looks.jail
  stop.abort()
  await assert.rejects(looks.found, { name: 'AbortError' })
  assert.equal(existsSync(join(data, 'tools.json')), false)
})

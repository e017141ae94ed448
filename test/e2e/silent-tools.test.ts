// A service on a machine that gives no answer about its tools: work waits, and is then done in the jail and with the tools that there are.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { commandOf, descendants, environmentOf } from '../support/processes.ts'
import { jail } from '../support/rooms.ts'
import { firstInPath, shutTool } from '../support/shut-tool.ts'
import { until } from '../support/until.ts'
import { clip, withFfmpeg } from '../support/videos.ts'

const script = fileURLToPath(new URL('../../src/child.ts', import.meta.url))
const jailed = { skip: jail.bwrap ? withFfmpeg.skip : 'there is no bubblewrap here, or it may not be used' }

/** Media children that take jobs, without the tools in front of them. */
const children = (): number[] =>
  descendants(process.pid).filter(pid => {
    const command = commandOf(pid)
    const isOurs = command.startsWith(process.execPath) && command.endsWith(script)
    return isOurs && environmentOf(pid).includes('NODE_CHANNEL_FD')
  })

const networkOf = (pid: number): string => readlinkSync(`/proc/${pid}/ns/net`)

describe('a machine that gives no answer about its tools', jailed, () => {
  it('pictures wait for the jail, videos for ffmpeg; neither fails, and nothing runs in a weaker jail', async t => {
    const { path: recording } = await clip({ seconds: 0.4, size: '64x48' })
    using path = firstInPath()
    const bwrap = await shutTool(path.folder, 'bwrap', 'is killed')
    const ffmpeg = await shutTool(path.folder, 'ffmpeg', 'is killed')
    const keepsake = await startKeepsake()
    t.after(() => keepsake.stop())
    const { client, ended } = keepsake
    const file = join(keepsake.settings.data, 'tools.json')
    const kept = (): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')
    const before = kept()
    const off = async (): Promise<string[]> => (await client.get('/readyz')).body.off
    const stands = async (path: string): Promise<string> => (await client.get(path)).body.status
    async function send(configuration_name: string, bytes: Buffer): Promise<string> {
      const data = new Blob([new Uint8Array(bytes)])
      const { status, body } = await keepsake.send('/api/task/', { configuration_name, data })
      assert.equal(status, 202, JSON.stringify(body))
      return `/api/task/${body.task_id}/`
    }

    await keepsake.configure(single('turn', 'photo_flip', { method: 'ROTATE_90' }))
    await keepsake.configure(single('poster', 'video_thumbnail', { format: 'jpeg' }))
    const picture = await send('turn', await png(pattern(24, 16, 4)))
    const video = await send('poster', readFileSync(recording))
    const jailSilence = 'the trial jail was ended by signal 9 and is tried again: media work waits until it answers'
    await until('it says that the jail is waited for', async () => (await off()).includes(jailSilence))
    assert.deepEqual(children(), [])
    assert.match(await stands(picture), /^(Pending|Running)$/)

    bwrap.open()
    assert.equal((await ended(picture)).status, 'Succeeded')
    const networks = children().map(networkOf)
    assert.ok(networks.length > 0 && !networks.includes(networkOf(process.pid)), 'it was done in namespaces of its own')
    const silence = 'ffmpeg was ended by signal 9 and is tried again: videos wait until it answers'
    assert.ok((await off()).includes(silence), (await off()).join('\n'))
    assert.match(await stands(video), /^(Pending|Running)$/)
    assert.equal(kept(), before)

    ffmpeg.open()
    const { status, entries } = await ended(video)
    assert.equal(status, 'Succeeded', JSON.stringify(entries))
    await until('nothing is waited for', async () => !(await off()).some(sentence => /jail|ffmpeg/.test(sentence)))
    const { found } = JSON.parse(kept())
    assert.deepEqual([found.jail, found.off], [{ ...jail, bwrap: bwrap.path }, []])
  })

  it('a service that still waits for an answer stops', async () => {
    using path = firstInPath()
    await shutTool(path.folder, 'bwrap', 'hangs')
    const keepsake = await startKeepsake()
    await keepsake.stop()
  })
})

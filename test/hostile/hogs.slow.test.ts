// Long work of one experience, asked for with small files: the tasks of another are served all the same.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import { cleanUp } from '../support/clean-up.ts'
import type { Answer, Client } from '../support/client.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { soon, until } from '../support/until.ts'
import { clip, withFfmpeg } from '../support/videos.ts'

/** The hog's videos take many times as long. */
const SERVED_MS = 180_000
const HOURS = { duration: 120, fps: 60, width: 3840, height: 2160, motion: 'zoom_in' }

describe('an experience that keeps all places busy', withFfmpeg, () => {
  let keepsake: Keepsake
  /** Tokens of scope tasks, each limited to one experience. */
  let hog: Client
  let guest: Client

  before(async () => {
    keepsake = await startKeepsake({ settings: { concurrency: 2 } })
    const token = async (experience: string) => {
      const { body } = await keepsake.client.post('/api/token/', {
        name: experience,
        scopes: ['tasks'],
        experiences: [experience],
      })
      return keepsake.client.as(body.token)
    }
    ;[hog, guest] = [await token('hog'), await token('guest')]
    for (const experience_id of ['hog', 'guest'])
      for (const [name, adapter, options] of [
        ['still', 'photo_to_video', { duration: 1 }],
        ['trim', 'video_trim', { duration: 1 }],
        ['flip', 'photo_flip', { method: 'ROTATE_180' }],
      ] as const)
        await keepsake.configure({ ...single(`${experience_id}-${name}`, adapter, options), experience_id })
  })
  after(() => cleanUp(() => keepsake.stop()))

  async function begin(client: Client, configuration_name: string, data: Buffer, extras = {}): Promise<string> {
    const body = new FormData()
    body.append('configuration_name', configuration_name)
    body.append('extras', JSON.stringify(extras))
    body.append('data', new Blob([new Uint8Array(data)]))
    const answer: Answer = await client.send('POST', '/api/task/', { body })
    assert.equal(answer.status, 202, JSON.stringify(answer.body))
    return answer.body.task_id
  }

  const statusOf = async (task_id: string) => (await keepsake.client.get(`/api/task/${task_id}/`)).body.status

  for (const [what, picture, count] of [
    ['tiny pictures', async () => png(pattern(8, 8, 3)), 12],
    // Each of them asks for the whole budget of memory, for as long as its video takes.
    [
      'pictures of 144 megapixels',
      async () =>
        sharp({ create: { width: 12_000, height: 12_000, channels: 3, background: '#456' } })
          .jpeg()
          .toBuffer(),
      3,
    ],
  ] as const)
    it(`by long videos of ${what} keeps no clip and no photo of another waiting`, async () => {
      const data = await picture()
      const begun = await Promise.all(Array.from({ length: count }, () => begin(hog, 'hog-still', data, HOURS)))
      await until('the hog is at work', async () => {
        const running = (await Promise.all(begun.map(statusOf))).filter(status => status === 'Running')
        return running.length >= 2
      })
      const video = await readFile((await clip()).path)
      const photo = await png(pattern(640, 480, 3))
      const since = performance.now()
      const served = [
        await begin(guest, 'guest-flip', photo),
        await begin(guest, 'guest-still', photo),
        await begin(guest, 'guest-trim', video),
      ]
      for (const task_id of served) {
        const { status } = await soon('another is served', keepsake.ended(`/api/task/${task_id}/`), SERVED_MS)
        assert.equal(status, 'Succeeded')
      }
      assert.ok(performance.now() - since < SERVED_MS)
      const still = await Promise.all(begun.map(statusOf))
      assert.ok(
        still.some(status => status === 'Running'),
        `the hog was done already: ${still}`,
      )
      for (const task_id of begun) await hog.post(`/api/task/${task_id}/cancel/`)
      for (const task_id of begun) await keepsake.ended(`/api/task/${task_id}/`)
    })
})

// The check before the doors open, over the API and from the command line: every entry of a chain, its assets, fonts, decoders and webhook.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { start } from '../start/keepsake.ts'
import { localBed } from '../support/beds.ts'
import { type Grounds, newGrounds } from '../support/chaos.ts'
import { cleanUp } from '../support/clean-up.ts'
import type { Client } from '../support/client.ts'
import type { Received } from '../support/https-receiver.ts'
import { chain, single } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'

const inter = dirname(createRequire(import.meta.url).resolve('@expo-google-fonts/inter/package.json'))

describe('the check before the doors open', () => {
  let grounds: Grounds
  let client: Client
  let local: Awaited<ReturnType<typeof localBed>>
  let status = 200

  before(async () => {
    local = await localBed()
    grounds = await newGrounds({
      env: { KEEPSAKE_LOCAL_ROOT: local.made, FFMPEG_PATH: 'none', FFPROBE_PATH: 'none' },
      answer: (_request, response) => void response.writeHead(status).end(),
    })
    client = grounds.client((await grounds.start('api')).url)
    const asset = async (name: string, bytes: Buffer) => {
      const body = new FormData()
      body.append('name', name)
      body.append('experience_id', 'park')
      body.append('file', new Blob([new Uint8Array(bytes)]))
      assert.equal((await client.send('POST', '/api/asset/', { body })).status, 201)
    }
    await asset('frame', await png(pattern(24, 16, 4)))
    await asset('letters', await readFile(join(inter, '400Regular/Inter_400Regular.ttf')))
    const text = { text: 'Hello', x: 0, y: 0, width: 20, height: 10 }
    const webhook_url = `${grounds.receiver.url}/hook`
    const save = async (configuration: object) => {
      const { status, body } = await client.post('/api/configuration/', configuration)
      assert.equal(status, 201, JSON.stringify(body))
    }
    await save(single('framed', 'photo_add_overlay', { overlay_file_name: 'frame' }))
    await save(single('lettered', 'photo_add_text', { ...text, font_file_name: 'letters' }))
    await save(single('kept', 'local_file', { folder: 'hall' }))
    await save(
      chain(
        'good',
        [
          ['framed', null],
          ['lettered', 0],
          ['kept', 1],
        ],
        { webhook_url },
      ),
    )
    await save(single('soundless', 'video_fade', { fade_in: 1 }))
    await save(single('no-font', 'photo_add_text', { ...text, font: 'Comic Chancery Bold', font_file_name: 'frame' }))
    await save(
      single(
        'channel',
        'youtube_upload',
        {},
        {
          adapter_config: {
            auth: { client_id: 'c', client_secret: 'secret-secret', refresh_token: 'refresh-refresh' },
            defaults: { api_base_url: 'http://127.0.0.1:9' },
          },
        },
      ),
    )
    await save(
      chain(
        'bad',
        [
          ['soundless', null],
          ['no-font', null],
          ['channel', 0],
        ],
        { webhook_url: 'https://127.0.0.1:9/hook' },
      ),
    )
    await save(single('bare', 'photo_add_overlay', { overlay_file_name: 'frame' }))
  })
  after(() =>
    cleanUp(
      () => grounds.stop(),
      () => local.stop(),
    ),
  )

  const linesOf = async (name: string): Promise<string[]> => {
    const { status, body } = await client.post(`/api/configuration/${name}/check/`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.lines.map(
      ({ ok, what, detail }: { ok: boolean; what: string; detail: string }) =>
        `${ok ? 'green' : 'red'} ${what}: ${detail}`,
    )
  }

  const green = [
    'green framed: The asset "frame" (overlay_file_name) is there.',
    'green lettered: The asset "letters" (font_file_name) is there.',
    'green kept: Write a file: A small file was written.',
    'green kept: Read it back: The same bytes came back.',
    'green kept: Delete it: The small file is gone again.',
  ]

  it('each entry of a chain is looked at, and the webhook hears a test event whose signature holds', async () => {
    const { host } = new URL(grounds.receiver.url)
    assert.deepEqual(await linesOf('good'), [...green, `green Webhook: ${host} answered 200 to a signed test event.`])
    assert.deepEqual(await local.delivered(), [])
    const [event] = grounds.receiver.received as [Received]
    const { body: experience } = await client.get('/api/experience/park/')
    const headers = Object.fromEntries(Object.entries(event.headers).map(([name, value]) => [name, String(value)]))
    const heard = new Webhook(experience.webhook_secret).verify(event.body.toString(), headers)
    assert.deepEqual(heard, { type: 'keepsake.check', configuration: 'good' })
    const { 'user-agent': agent, 'keepsake-event': kind, 'keepsake-experience': whose } = headers
    assert.deepEqual([agent, kind, whose], ['Keepsake', 'check', 'park'])
    status = 500
    assert.equal(
      (await linesOf('good')).at(-1),
      `red Webhook: ${host} answered 500 to a signed test event; a callback would not count as delivered.`,
    )
    status = 200
  })

  it('missing decoders and fonts, assets of the wrong kind, targets and webhooks out of reach are red', async () => {
    assert.deepEqual(await linesOf('bad'), [
      'red soundless: ffmpeg is missing: the video adapters are off.',
      'red no-font: The font "Comic Chancery Bold" is not installed here; Inter would be used in its place.',
      'red no-font: The asset "frame" (font_file_name) is no font, but image/png.',
      'green channel: The option title must come with the extras of every task.',
      'red channel: Sign in: Could not connect to 127.0.0.1: connection refused.',
      'red Webhook: Could not connect to 127.0.0.1: connection refused.',
    ])
    // The API keeps an asset that is in use, so it takes a hand in the database to lose one.
    await grounds.query(
      `update configurations set defaults = replace(defaults::text, 'letters', 'lost')::json where configuration_name = 'lettered'`,
    )
    assert.equal((await linesOf('lettered'))[0], 'red lettered: The asset "lost" (font_file_name) is missing.')
  })

  it('without its credentials nothing is asked of a destination: the check says which are missing', async () => {
    const body = single('unnamed', 's3_upload', { bucket_name: 'bucket', bucket_url: 'http://127.0.0.1:9' })
    const answer = await client.post('/api/configuration/check/', body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.deepEqual(
      answer.body.lines.map(({ ok, detail }: { ok: boolean; detail: string }) => [ok, detail]),
      [
        [false, 'The credential access_key is missing.'],
        [false, 'The credential secret_key is missing.'],
      ],
    )
  })

  it('the doctor says the same of every configuration, and fails where one would', async t => {
    grounds.receiver.received.length = 0
    const run = start(t, { data: grounds.folder, env: grounds.env, args: ['doctor'] })
    assert.equal(await run.exit(), 1, run.said())
    const said = run.said().split('\n')
    const checks = said.filter(line => /^(ok|fail) +check /.test(line)).map(line => line.replace(/ +check +/, ' '))
    assert.ok(checks.includes('ok good: kept: Write a file: A small file was written.'), checks.join('\n'))
    assert.ok(checks.includes('fail bad: soundless: ffmpeg is missing: the video adapters are off.'))
    assert.ok(checks.includes('ok bare: The asset "frame" (overlay_file_name) is there.'))
    assert.ok(checks.some(line => /^ok good: Webhook: \S+ answered 200 to a signed test event\.$/.test(line)))
    assert.ok(!checks.some(line => /secret-secret|refresh-refresh/.test(line)))
    const [event] = grounds.receiver.received.filter(({ url }) => url === '/hook')
    assert.equal(event?.body.toString(), '{"type":"keepsake.check","configuration":"good"}')
    assert.deepEqual([event?.headers['user-agent'], event?.headers['keepsake-event']], ['Keepsake', 'check'])
  })
})

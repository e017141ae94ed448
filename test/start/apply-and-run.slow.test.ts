// An event that is kept in files: brought to an installation by one command, and tried on pictures by another.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import pg from 'pg'
import sharp from 'sharp'
import { emptyDatabase, testDatabase } from '../support/postgres.ts'
import { startCommandHost } from './command-host.ts'
import { start, testFolder } from './keepsake.ts'

const configuration = (name: string, adapter_name: string, adapter_config: object) => ({
  configuration_name: name,
  experience_id: 'park',
  adapter_name,
  adapter_config,
})
const variable = (name: string) => `\${${name}}`
const small = configuration('small', 'photo_resize', { defaults: { width: 40, height: 30 } })
const framed = configuration('framed', 'photo_add_overlay', { defaults: { overlay_file_name: 'frame.png' } })
const bucket = configuration('bucket', 's3_upload', {
  auth: { access_key: variable('S3_KEY'), secret_key: variable('S3_SECRET') },
  defaults: { bucket_name: 'park-photos' },
})
const photo = {
  configuration_name: 'photo',
  experience_id: 'park',
  call_chain: [
    ['small', null],
    ['framed', 0],
    ['bucket', 1],
  ],
}
const frame = { name: 'frame.png', experience_id: 'park', file: 'pictures/frame.png' }
const secrets = { S3_KEY: 'key', S3_SECRET: 'one' }

const host = startCommandHost()
after(() => host.stop())

async function newEvent(t: TestContext, database = testDatabase) {
  const folder = testFolder(t)
  const { url } = await database(t)
  mkdirSync(join(folder, 'event/pictures'), { recursive: true })
  const red = { width: 40, height: 30, channels: 4, background: '#f00' } as const
  await sharp({ create: red }).png().toFile(join(folder, 'event/pictures/frame.png'))
  const data = join(folder, 'data')
  type Run = (args: string[], env?: Record<string, string>) => Promise<[code: unknown, said: string]>
  const keepsake: Run = async (args, env = {}) => {
    const command = start(t, { data, env: { DATABASE_URL: url, ...env }, args })
    return [await command.exit(), command.said()]
  }
  /** For a command that another case here runs in a process of its own. */
  const inHost: Run = async (args, env = {}) => {
    const own = { DATABASE_URL: url, KEEPSAKE_DATA: data, ...env }
    const { code, out, err } = await host.run({ url: '', token: '' }, folder, args, own)
    return [code, out + err]
  }
  const apply = (event: unknown, env: Record<string, string> = secrets, run = inHost) => {
    writeFileSync(join(folder, 'event/event.json'), typeof event === 'string' ? event : JSON.stringify(event))
    return run(['apply', 'event/event.json'], env)
  }
  const names = async (): Promise<string[]> => {
    const client = new pg.Client(url)
    await client.connect()
    const { rows } = await client.query('select configuration_name as name from configurations order by name')
    await client.end()
    return rows.map(row => row.name)
  }
  return { folder, keepsake, inHost, apply, names }
}

test('files become configurations, once, in whatever order they stand', async t => {
  const { apply, keepsake, folder } = await newEvent(t, emptyDatabase)
  const event = { assets: [frame], configurations: [photo, framed, bucket, small] }
  assert.deepEqual(await apply(event, secrets, keepsake), [
    0,
    `made       asset          frame.png
made       configuration  small
made       configuration  framed
made       configuration  bucket
made       configuration  photo
`,
  ])
  const [, again] = await apply(event)
  assert.deepEqual(again.match(/^\w+/gm), Array(5).fill('unchanged'))
  const blue = { width: 40, height: 30, channels: 4, background: '#00f' } as const
  await sharp({ create: blue }).png().toFile(join(folder, 'event/pictures/frame.png'))
  const wider = { ...small, adapter_config: { defaults: { width: 48, height: 30 } } }
  const other = { assets: [frame], configurations: [photo, framed, bucket, wider] }
  const [, changed] = await apply(other, { ...secrets, S3_SECRET: 'two' })
  assert.deepEqual(changed.match(/^changed .*/gm), [
    'changed    asset          frame.png',
    'changed    configuration  small',
    'changed    configuration  bucket',
  ])
})

test('what is wrong is told in a line that names it, and no configuration is written', async t => {
  const { apply, names } = await newEvent(t)
  const bad = configuration('turned', 'photo_flip', { defaults: { method: 'UPSIDE_DOWN' } })
  for (const [event, says] of [
    ['{"configurations": [', /^keepsake: event\/event.json: is not JSON: /],
    [
      { configuration: [] },
      /^keepsake: event\/event.json: configuration: is not known here; known are experiences, assets, conf/,
    ],
    [
      { configurations: [{ ...small, experience_id: 7 }] },
      /event.json: configurations\[0\].experience_id: must be the id of an experience/,
    ],
    [{ configurations: [small, bad] }, /^keepsake: configuration "turned": photo_flip does not take this: .*method/],
    [{ configurations: [small, photo] }, /^keepsake: configuration "photo": .*framed/],
    [{ configurations: [small, small] }, /^keepsake: "small" is in the files twice/],
    [{ configurations: [small, framed] }, /^keepsake: configuration "framed": there is no asset "frame.png"/],
    [{ configurations: [small], assets: [{ ...frame, file: 'none.png' }] }, /none.png cannot be read/],
  ] as const) {
    const [code, said] = await apply(event)
    // The files themselves are wrong, or what they say is.
    assert.equal(code, /event\.json: |twice|cannot be read/.test(said) ? 2 : 1, said)
    assert.match(said, says)
    assert.equal(said.trim().split('\n').length, 1, said)
  }
  const [, unset] = await apply({ configurations: [bucket] }, { S3_KEY: 'key' })
  assert.equal(unset, 'keepsake: event/event.json: "bucket" needs S3_SECRET, which is not set\n')
  assert.deepEqual(await names(), [])
})

test('a configuration runs on files of this machine, without its deliveries', async t => {
  const { apply, keepsake, inHost, folder } = await newEvent(t)
  await apply({ assets: [frame], configurations: [photo, framed, bucket, small] })
  const grey = { width: 80, height: 60, channels: 3, background: '#888' } as const
  await sharp({ create: grey }).jpeg().toFile(join(folder, 'one.jpg'))
  await sharp({ create: grey }).png().toFile(join(folder, 'two.png'))
  writeFileSync(join(folder, 'three.jpg'), 'no picture')
  const [code, said] = await keepsake([
    'run',
    'one.jpg',
    'two.png',
    'three.jpg',
    'four.jpg',
    '-c',
    'photo',
    '--local',
    '--out',
    'made',
  ])
  assert.equal(code, 1, 'not all could be made')
  assert.deepEqual(said.trim().split('\n').sort(), [
    'four.jpg: It cannot be read.',
    'one.jpg > made/one photo.jpg',
    'three.jpg: The input is text/plain; this step takes a picture: JPEG, PNG, WebP, GIF, AVIF, TIFF or HEIC.',
    'two.png > made/two photo.png',
  ])
  assert.deepEqual(readdirSync(join(folder, 'made')).sort(), ['one photo.jpg', 'two photo.png'])
  const { data, info } = await sharp(join(folder, 'made/two photo.png')).raw().toBuffer({ resolveWithObject: true })
  assert.deepEqual([info.width, info.height, ...data.subarray(0, 3)], [40, 30, 255, 0, 0])
  const own = '{"per_configuration": {"small": {"width": 20, "height": 15}, "bucket": {"public": true}}}'
  const [done, told] = await inHost(['run', 'two.png', '-c', 'photo', '--local', '--out', 'own', '--extras', own])
  assert.equal(done, 0, told)
  const { width, height } = await sharp(join(folder, 'own/two photo.png')).metadata()
  assert.deepEqual([width, height], [20, 15])
  const [refused, why] = await inHost([
    'run',
    'two.png',
    '-c',
    'photo',
    '--local',
    '--extras',
    '{"per_configuration": {"none": {}}}',
  ])
  assert.equal(refused, 1)
  assert.match(why, /^two\.png: extras\.per_configuration\.none is not the configuration of an entry here/)
  const kept = readdirSync(join(folder, 'data/blobs'), { recursive: true, withFileTypes: true })
  assert.equal(kept.filter(entry => entry.isFile()).length, 1, 'only the asset stays')
})

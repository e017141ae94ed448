// Files that would act when somebody opens them, names that are paths, and headers that promise a giant picture.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import { cleanUp } from '../support/clean-up.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'

let keepsake: Keepsake
const canary = join(tmpdir(), `keepsake-canary-${randomUUID()}`)
before(async () => {
  writeFileSync(canary, 'untouched')
  keepsake = await startKeepsake()
  await keepsake.configure(single('flip', 'photo_flip', { method: 'ROTATE_180' }))
})
after(() =>
  cleanUp(
    () => rmSync(canary, { force: true }),
    () => keepsake?.stop(),
  ),
)

const script = '<script>fetch("/api/token/")</script>'
const active: Record<string, string> = {
  'page.html': `<!doctype html><html><body>${script}</body></html>`,
  'picture.svg': `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>`,
  'acting.svg': `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">${script}</svg>`,
  'code.js': 'fetch("/api/token/")',
  'feed.xml': `<?xml version="1.0"?><?xml-stylesheet href="evil.xsl"?><html xmlns="http://www.w3.org/1999/xhtml">${script}</html>`,
  'style.css': 'body { background: url(/api/token/) }',
  'paper.pdf': '%PDF-1.4\n1 0 obj << /OpenAction << /S /JavaScript /JS (app.alert(1)) >> >> endobj',
  'both.png': `\x89PNG\r\n\x1a\n${script}`,
}

test('a file that would act in a browser is handed out so that it can’t', async () => {
  const headers = { authorization: `Bearer ${keepsake.token}` }
  const paths: string[] = []
  for (const [name, text] of Object.entries(active)) {
    const data = new File([text], name)
    const sent = await keepsake.send('/api/task/', { configuration_name: 'flip', data })
    assert.equal(sent.status, 202)
    await keepsake.ended(`/api/task/${sent.body.task_id}/`)
    paths.push(`/api/task/${sent.body.task_id}/input/`)
    const asset = await keepsake.send('/api/asset/', { name, experience_id: 'park', file: data })
    if (asset.status === 201) paths.push(`/api/asset/${encodeURIComponent(name)}/file/`)
  }
  assert.ok(paths.length > Object.keys(active).length)
  for (const path of paths) {
    const answer = await fetch(keepsake.url + path, { headers })
    assert.equal(answer.status, 200, path)
    await answer.arrayBuffer()
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff', path)
    const policy = answer.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'/, path)
    assert.match(policy, /(^|; )sandbox($|;)/, `${path}: no scripts, no origin of ours`)
    assert.doesNotMatch(policy, /allow-scripts|allow-same-origin|script-src/, path)
    assert.equal(answer.headers.get('x-frame-options'), 'DENY', path)
    assert.equal(answer.headers.get('cross-origin-resource-policy'), 'same-origin', path)
  }
})

test('a name that is a path writes and reads nothing outside', async () => {
  const picture = new Uint8Array(await png(pattern(8, 8, 3)))
  const up = '../'.repeat(12) + canary.slice(1)
  const names = [
    canary,
    up,
    `..\\..\\${canary}`,
    `x/../../${up}`,
    `${canary}\0.png`,
    `file://${canary}`,
    '..',
    '.',
    '~/x',
  ]
  for (const name of names) {
    const file = new File([picture], name)
    const { status, body } = await keepsake.send('/api/task/', { configuration_name: 'flip', data: file })
    assert.ok(status === 202 || status === 400, `${name}: ${status}`)
    if (status === 202) {
      const task = await keepsake.ended(`/api/task/${body.task_id}/`)
      assert.equal(task.status, 'Succeeded', name)
      assert.ok(!JSON.stringify(task).includes(canary), name)
    }
    const asset = await keepsake.send('/api/asset/', { name, experience_id: 'park', file })
    assert.ok(asset.status === 400 || asset.status === 201, `${name}: ${asset.status}`)
    const overlay = single(`overlay ${names.indexOf(name)}`, 'photo_add_overlay', { overlay_file_name: name })
    const made = await keepsake.client.post('/api/configuration/', overlay)
    assert.ok(made.status === 201 || made.status === 400, `${name}: ${made.status}`)
    assert.equal(readFileSync(canary, 'utf8'), 'untouched', name)
  }
  assert.ok(!existsSync(join(keepsake.settings.data, '..', 'x')))
})

/** Small files whose headers promise 60,000 x 60,000 pixels. */
async function giants(): Promise<Record<string, Buffer>> {
  const small = sharp({ create: { width: 16, height: 16, channels: 3, background: '#246' } })
  const SIDE = 60_000
  const bytes = Object.fromEntries(
    await Promise.all(
      (['png', 'jpeg', 'gif', 'webp', 'tiff'] as const).map(async format => [
        format,
        await small.clone().toFormat(format).toBuffer(),
      ]),
    ),
  ) as Record<'png' | 'jpeg' | 'gif' | 'webp' | 'tiff', Buffer>
  bytes.png.writeUInt32BE(SIDE, 16)
  bytes.png.writeUInt32BE(SIDE, 20)
  bytes.png.writeUInt32BE(crc32(bytes.png.subarray(12, 29)), 29)
  const frame = bytes.jpeg.indexOf(Buffer.from([0xff, 0xc0]))
  bytes.jpeg.writeUInt16BE(SIDE, frame + 5)
  bytes.jpeg.writeUInt16BE(SIDE, frame + 7)
  bytes.gif.writeUInt16LE(SIDE, 6)
  bytes.gif.writeUInt16LE(SIDE, 8)
  const descriptor = bytes.gif.indexOf(Buffer.from([0x2c, 0, 0, 0, 0, 16, 0, 16, 0]))
  bytes.gif.writeUInt16LE(SIDE, descriptor + 5)
  bytes.gif.writeUInt16LE(SIDE, descriptor + 7)
  // VP8: 14 bits a side.
  bytes.webp.writeUInt16LE(16_383, 26)
  bytes.webp.writeUInt16LE(16_383, 28)
  const little = bytes.tiff.subarray(0, 2).toString() === 'II'
  const [read16, write32] = little
    ? [(at: number) => bytes.tiff.readUInt16LE(at), (at: number) => bytes.tiff.writeUInt32LE(SIDE, at)]
    : [(at: number) => bytes.tiff.readUInt16BE(at), (at: number) => bytes.tiff.writeUInt32BE(SIDE, at)]
  const directory = little ? bytes.tiff.readUInt32LE(4) : bytes.tiff.readUInt32BE(4)
  for (let tag = 0; tag < read16(directory); tag++) {
    const at = directory + 2 + tag * 12
    if (![256, 257].includes(read16(at))) continue
    if (little) bytes.tiff.writeUInt16LE(4, at + 2)
    else bytes.tiff.writeUInt16BE(4, at + 2)
    write32(at + 8)
  }
  return bytes
}

test('a small file that promises a giant picture is refused by its header', async () => {
  for (const [format, bytes] of Object.entries(await giants())) {
    const data = new Blob([new Uint8Array(bytes)])
    const sent = await keepsake.send('/api/task/', { configuration_name: 'flip', data })
    assert.equal(sent.status, 202)
    const { status, entries } = await keepsake.ended(`/api/task/${sent.body.task_id}/`)
    assert.deepEqual([status, entries[0].error?.code], ['Failed', 'too_many_pixels'], format)
  }
})

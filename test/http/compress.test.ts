// Answers are compressed where that gains something, and are the same bytes once they are unpacked.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { after, before, suite, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { encodingFor } from '../../src/http/hooks/compress.ts'
import { built, skip } from '../console/browser.ts'
import { type Keepsake, startKeepsake } from '../support/keepsake.ts'

suite('compressed answers', () => {
  let keepsake: Keepsake
  before(async () => {
    if (!skip) await built()
    keepsake = await startKeepsake({ worker: false })
  })
  after(() => keepsake.stop())

  /** As it comes over the wire: fetch would unpack it. */
  const raw = (path: string, encoding?: string) =>
    new Promise<{ headers: Record<string, unknown>; bytes: Buffer }>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${keepsake.token}`,
        ...(encoding === undefined ? {} : { 'accept-encoding': encoding }),
      }
      request(`${keepsake.url}${path}`, { headers }, async response =>
        resolve({ headers: response.headers, bytes: await buffer(response) }),
      )
        .on('error', reject)
        .end()
    })

  for (const path of ['/api/openapi.json', '/docs/'])
    test(`${path} is the same in each encoding, and smaller`, async () => {
      const plain = await raw(path)
      assert.equal(plain.headers['content-encoding'], undefined)
      assert.match(String(plain.headers.vary), /accept-encoding/i)
      const br = await raw(path, 'gzip, deflate, br')
      assert.equal(br.headers['content-encoding'], 'br')
      assert.deepEqual(brotliDecompressSync(br.bytes), plain.bytes)
      const gz = await raw(path, 'gzip;q=1.0, br;q=0')
      assert.equal(gz.headers['content-encoding'], 'gzip')
      assert.deepEqual(gunzipSync(gz.bytes), plain.bytes)
      assert.ok(br.bytes.length < plain.bytes.length / 2 && gz.bytes.length < plain.bytes.length / 2)
      assert.equal(Number(br.headers['content-length']), br.bytes.length)
    })

  test('what is small, tagged or no text stays as it is', async () => {
    for (const path of ['/healthz', '/api/experience/', '/docs/images/guest.jpg'])
      assert.equal((await raw(path, 'br')).headers['content-encoding'], undefined, path)
  })

  test('the console was compressed when it was built: its first page is at most 200 kB', { skip }, async () => {
    const index = await raw('/', 'br')
    const page = index.headers['content-encoding'] === 'br' ? brotliDecompressSync(index.bytes) : index.bytes
    const files = page.toString().matchAll(/(?:src|href)="(\/assets\/[^"]+\.(?:js|css))"/g)
    let all = index.bytes.length
    for (const [, path] of files) {
      const { headers, bytes } = await raw(path as string, 'gzip, br')
      assert.equal(headers['content-encoding'], 'br', path)
      assert.match(String(headers['content-type']), /javascript|css/)
      all += bytes.length
    }
    assert.ok(all > 50_000 && all < 200_000, `${all} bytes`)
    assert.match(String((await raw('/index.html.br')).headers['content-type']), /problem/, 'no file of its own')
  })

  test('the header of a client is read as it is meant', () => {
    for (const [accepted, encoding] of [
      [undefined, undefined],
      ['', undefined],
      ['identity', undefined],
      ['BR', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip;q=0.5', 'gzip'],
      ['br;q=0.0', undefined],
      [`${'x,'.repeat(100_000)}br`, undefined],
    ] as const)
      assert.equal(encodingFor(accepted), encoding, accepted?.slice(0, 40))
  })
})

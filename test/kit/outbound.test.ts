// What the guarded client lets out, and what it keeps in.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { after, before, suite, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { isProblem, type Problem } from '#kit/errors.ts'
import { newLog } from '#kit/log.ts'
import { UnknownName } from '#kit/net/dial.ts'
import type { Resolver } from '#kit/net/name-server.ts'
import { newOutbound, type Outbound, Unreachable } from '#kit/net/outbound.ts'
import { type Authority, newAuthority, trust } from '../support/certificates.ts'
import { cleanUp } from '../support/clean-up.ts'
import { freePort } from '../support/free-port.ts'
import { type Receiver, startReceiver } from '../support/https-receiver.ts'
import { forbiddenAddresses, spellings } from '../support/spellings.ts'
import { event, until } from '../support/until.ts'

const blockedUrl = (error: unknown) => isProblem(error, 'blocked_url')
/** As one that nobody knows. */
const refusedName = (error: unknown) =>
  error instanceof Unreachable && !error.sent && /the name is not known, or leads to/.test(error.message)
const { signal } = new AbortController()

/** Every name leads where the table says. */
const names =
  (table: Record<string, string[]>): Resolver =>
  async host =>
    (table[host] ?? []).map(address => ({ address, family: address.includes(':') ? 6 : 4 }))

suite('outbound', () => {
  let authority: Authority
  let canary: Receiver
  let secure: Receiver
  before(async () => {
    authority = await newAuthority()
    trust(authority)
    canary = await startReceiver()
    secure = await startReceiver({
      tls: await authority.issue(['hooks.test', '127.0.0.1']),
      answer: ({ body }, response) => void response.end(`got ${body.length}`),
    })
  })
  after(() =>
    cleanUp(
      () => canary.stop(),
      () => secure.stop(),
    ),
  )

  const failure = async (work: Promise<unknown>): Promise<Problem> => {
    try {
      await work
    } catch (error) {
      if (isProblem(error)) return error
      throw error
    }
    throw new assert.AssertionError({ message: 'it was let out' })
  }

  test('80 forbidden addresses in 40 spellings each are refused for requests, downloads and checks', async () => {
    const outbound = newOutbound({ allowHosts: [] })
    assert.ok(forbiddenAddresses.length >= 80)
    for (const address of forbiddenAddresses) {
      const hosts = spellings(address)
      assert.ok(new Set(hosts).size >= 40, `${address} has ${new Set(hosts).size} spellings`)
      for (const host of hosts) {
        for (const scheme of ['https', 'http']) {
          const url = `${scheme}://${host}:${canary.port}/`
          assert.throws(() => outbound.check(url), blockedUrl, url)
          await assert.rejects(outbound.request(url), blockedUrl, url)
        }
        await assert.rejects(
          outbound.download(`https://${host}:${canary.port}/`, { maxBytes: 1, signal }),
          blockedUrl,
          host,
        )
      }
    }
    assert.equal(canary.connections(), 0)
  })

  test('80 forbidden addresses are refused behind a name and as the host of a socket', async () => {
    const refusals: Promise<void>[] = []
    for (const address of forbiddenAddresses) {
      const outbound = newOutbound({
        allowHosts: [],
        resolve: names({ 'name.test': [address], 'two.test': ['93.184.216.34', address] }),
      })
      const ways = ['name.test', 'two.test', 'NAME.test.'].flatMap(host => [
        assert.rejects(outbound.request(`https://${host}:${canary.port}/`), refusedName, `${host} ${address}`),
        assert.rejects(outbound.connect(host, canary.port), refusedName, `${host} ${address}`),
      ])
      await assert.rejects(outbound.connect(address, canary.port), blockedUrl, address)
      refusals.push(...ways)
    }
    await Promise.all(refusals)
    assert.equal(canary.connections(), 0)
  })

  test('odd spellings of a socket’s host are refused as the address they mean', async () => {
    const outbound = newOutbound({ allowHosts: [] })
    for (const host of ['localhost', 'LOCALHOST.', '2130706433', '0x7f.1', '127.1', '[::1]', '::ffff:127.0.0.1']) {
      const error = await failure(outbound.connect(host, canary.port))
      assert.equal(error.code, 'blocked_url', host)
    }
    assert.equal(canary.connections(), 0)
  })

  test('a name that changes its address between check and connection gains nothing', async () => {
    let asked = 0
    const resolve: Resolver = async () => [{ address: asked++ === 0 ? '127.0.0.2' : '127.0.0.1', family: 4 }]
    const outbound = newOutbound({ allowHosts: ['127.0.0.2'], resolve })
    const error = await failure(outbound.request(`https://rebind.test:${canary.port}/`))
    assert.equal(asked, 1, 'resolved once, and that answer is what was connected to')
    assert.equal(error.code, 'destination_unreachable')
    await assert.rejects(outbound.request(`https://rebind.test:${canary.port}/`), refusedName)
    assert.equal(canary.connections(), 0)
  })

  test('public addresses pass, in mapped and translated forms too', () => {
    const outbound = newOutbound({ allowHosts: [] })
    for (const host of [
      '93.184.216.34',
      '8.8.8.8',
      '[2606:4700::1111]',
      '[2a00:1450:4001::1]',
      '[::ffff:8.8.8.8]',
      '[64:ff9b::8.8.8.8]',
      'example.com',
    ]) {
      assert.doesNotThrow(() => outbound.check(`https://${host}:8443/x?y=1`), host)
    }
  })

  test('only HTTPS without credentials is accepted, plain HTTP when its host is on the list', () => {
    const outbound = newOutbound({ allowHosts: ['10.0.0.0/8', 'intern.test', '*.lan', 'fd00::/8', '127.0.0.1'] })
    for (const url of [
      'http://10.1.2.3/',
      'http://intern.test/',
      'http://INTERN.test.:81/',
      'http://printer.lan/',
      'http://[fd00::1]/',
      'http://[::ffff:10.1.2.3]/',
      'http://localhost/',
      'https://example.com/',
    ])
      assert.doesNotThrow(() => outbound.check(url), url)
    for (const url of [
      'http://example.com/',
      'http://11.1.2.3/',
      'http://lan/',
      'http://xlan/',
      'https://192.168.0.1/',
      'https://a:b@example.com/',
      'https://a@intern.test/',
      'ftp://intern.test/',
      'file:///etc/passwd',
      'gopher://x/',
      'data:,x',
      'javascript:1',
      '//x',
      '',
      'https://',
      'https://[::1',
      'http://sub.intern.test/',
    ])
      assert.throws(() => outbound.check(url), blockedUrl, url)
  })

  test('a bad allow list is refused at once', () => {
    for (const entry of ['10.0.0.0/33', 'http://x', 'a b', '::/129', 'host:80', '*', '10.0.0.'])
      assert.throws(() => newOutbound({ allowHosts: [entry] }), /is not a host, an IP address or a CIDR range/, entry)
  })

  test('allowed by host, by IP and by CIDR, a request arrives whole', async () => {
    for (const allowed of ['hooks.test', '127.0.0.1', '127.0.0.0/8']) {
      const outbound = newOutbound({ allowHosts: [allowed], resolve: names({ 'hooks.test': ['127.0.0.1'] }) })
      const answer = await outbound.request(`https://hooks.test:${secure.port}/a?b=c`, {
        method: 'POST',
        headers: { 'x-a': 'b' },
        body: 'hello',
      })
      assert.equal(answer.status, 200)
      assert.equal(await answer.text(), 'got 5')
      const { method, url, headers } = secure.received.at(-1)!
      assert.deepEqual(
        [method, url, headers['x-a'], headers.host],
        ['POST', '/a?b=c', 'b', `hooks.test:${secure.port}`],
      )
    }
  })

  test('a stream is sent with its length or in chunks', async () => {
    const outbound = newOutbound({ allowHosts: ['127.0.0.1'] })
    const chunks = () => Readable.from([Buffer.alloc(70_000), Buffer.alloc(30_000)])
    const chunked = await outbound.request(secure.url, { method: 'PUT', body: chunks() })
    assert.equal(await chunked.text(), 'got 100000')
    const sized = await outbound.request(secure.url, {
      method: 'PUT',
      body: chunks(),
      headers: { 'content-length': '100000' },
    })
    assert.equal(await sized.text(), 'got 100000')
    assert.equal(secure.received.at(-1)?.headers['transfer-encoding'], undefined)
  })

  test('a body in pieces arrives byte for byte, over TLS and plain', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keepsake-pieces-'))
    const path = join(folder, 'x')
    const bytes = randomBytes(3_000_001)
    await writeFile(path, bytes)
    const tls = await authority.issue(['127.0.0.1'])
    for (const receiver of [await startReceiver({ tls }), await startReceiver()]) {
      const told: number[] = []
      const sent = (more: number) => void told.push(more)
      const body = [
        Buffer.from('head'),
        { path, start: 0, end: bytes.length, sent },
        Buffer.from('-'),
        { path, start: 5, end: 10 },
        { path, start: 3, end: 3 },
      ]
      const answer = await newOutbound({ allowHosts: ['127.0.0.1'] }).request(receiver.url, { method: 'PUT', body })
      assert.equal(answer.status, 200)
      answer.discard()
      const { headers, body: got } = receiver.received[0]!
      assert.equal(headers['content-length'], String(bytes.length + 10))
      assert.deepEqual(got, Buffer.concat([Buffer.from('head'), bytes, Buffer.from('-'), bytes.subarray(5, 10)]))
      assert.equal(
        told.reduce((sum, one) => sum + one, 0),
        bytes.length,
      )
      await receiver.stop()
    }
    await rm(folder, { recursive: true })
  })

  test('the allow list waives no certificate check', async () => {
    const other = await newAuthority()
    const yesterday = new Date(Date.now() - 86_400_000)
    const cases = [
      { tls: await other.issue(['127.0.0.1']), why: /unknown authority/ },
      { tls: await authority.issue(['elsewhere.test']), why: /for another name/ },
      { tls: await authority.issue(['127.0.0.1'], { from: new Date(0), until: yesterday }), why: /expired/ },
    ]
    for (const { tls, why } of cases) {
      const receiver = await startReceiver({ tls })
      const outbound = newOutbound({ allowHosts: ['127.0.0.1'] })
      const error = await failure(outbound.request(receiver.url, { method: 'POST', body: 'secret' }))
      assert.match(error.message, why)
      assert.ok(error instanceof Unreachable && !error.sent)
      assert.equal(receiver.received.length, 0)
      await receiver.stop()
    }
    const plain = await startReceiver()
    const error = await failure(
      newOutbound({ allowHosts: ['127.0.0.1'] }).request(plain.url.replace('http:', 'https:')),
    )
    assert.match(error.message, /^Could not connect to 127\.0\.0\.1: it does not speak TLS/)
    await plain.stop()
  })

  test('a refused connection and an unknown name say so, and that nothing was sent', async () => {
    const outbound = newOutbound({ allowHosts: ['127.0.0.1', 'nobody.invalid'] })
    const refused = await failure(outbound.request(`http://127.0.0.1:${await freePort()}/`))
    assert.equal(refused.message, 'Could not connect to 127.0.0.1: connection refused.')
    assert.ok(refused instanceof Unreachable && !refused.sent)
    const unknown = await failure(outbound.request('https://nobody.invalid/'))
    assert.match(unknown.message, /^Could not connect to nobody\.invalid: the name /)
    assert.ok(unknown instanceof Unreachable && !unknown.sent)
  })

  test('a download may come later where no name server answered, and not where the name is none', async () => {
    const outbound = newOutbound({
      allowHosts: [],
      resolve: async host => {
        throw Object.assign(new Error('getaddrinfo'), { code: host === 'later.test' ? 'EAI_AGAIN' : 'ENOTFOUND' })
      },
    })
    const [later, never] = await Promise.all(
      ['later.test', 'never.test'].map(host =>
        failure(outbound.download(`https://${host}/`, { maxBytes: 1, signal })).then(({ cause }) => cause),
      ),
    )
    assert.ok(later instanceof Unreachable && !(later instanceof UnknownName))
    assert.ok(never instanceof UnknownName)
  })

  test('whoever asks can’t tell a name that leads inside from one that is not known; the log tells', async t => {
    const lines: { host: string; why: string }[] = []
    const log = newLog('silent', 'test')
    log.warn = ((line: { host: string; why: string }) => void lines.push(line)) as typeof log.warn
    const slow: Resolver = async host => {
      if (host === 'inside.test') return [{ address: '10.0.0.7', family: 4 }]
      if (host === 'empty.test') return []
      // The way of a name that nobody here knows is longer.
      await new Promise(resolve => setTimeout(resolve, 50))
      throw Object.assign(new Error('getaddrinfo'), { code: host === 'later.test' ? 'EAI_AGAIN' : 'ENOTFOUND' })
    }
    const outbound = newOutbound({ allowHosts: [], resolve: slow, log })
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const told = new Map<string, string[]>()
    for (const host of ['inside.test', 'unknown.test', 'empty.test', 'later.test']) {
      const sentences: string[] = []
      for (const ask of [
        () => outbound.request(`https://${host}/`),
        () => outbound.connect(host, 22),
        () => outbound.download(`https://${host}/`, { maxBytes: 1, signal }),
      ]) {
        const asked = failure(ask()).then(({ code, message }) =>
          sentences.push(`${code} ${message.replaceAll(host, 'HOST')}`),
        )
        const before = sentences.length
        for (const ms of [50, 449]) {
          await turn()
          t.mock.timers.tick(ms)
        }
        await turn()
        assert.equal(sentences.length, before, `${host} is refused after half a second, and not sooner`)
        t.mock.timers.tick(1)
        await turn()
        assert.equal(sentences.length, before + 1, `${host} is refused after half a second, and not later`)
        await asked
      }
      told.set(host, sentences)
    }
    assert.equal(new Set([...told.values()].map(sentences => sentences.join('|'))).size, 1, JSON.stringify([...told]))
    assert.deepEqual(
      lines.filter((_line, index) => index % 3 === 0).map(({ host, why }) => `${host}: ${why}`),
      [
        'inside.test: an address of it may not be reached',
        'unknown.test: the name is not known',
        'empty.test: it has no address',
        'later.test: the name could not be resolved just now',
      ],
    )
  })

  test('a connection that breaks after the request says that something was sent', async () => {
    const rude = await startReceiver({ raw: request => void request.socket.destroy() })
    const error = await failure(
      newOutbound({ allowHosts: ['127.0.0.1'] }).request(rude.url, { method: 'POST', body: 'x' }),
    )
    assert.ok(error instanceof Unreachable && error.sent)
    assert.equal(error.message, 'The request to 127.0.0.1 failed: the connection was closed.')
    await rude.stop()
  })

  suite('against a black hole', () => {
    let hole: Server
    let port: number
    before(async () => {
      hole = createServer(() => {}).listen(0, '127.0.0.1')
      await event('it listens', hole, 'listening')
      port = (hole.address() as { port: number }).port
    })
    after(() => void hole.close())
    const outbound: Outbound = newOutbound({
      allowHosts: ['127.0.0.1', 'slow.test'],
      connectTimeoutMs: 300,
      resolve: () => new Promise(() => {}),
    })
    /** For what comes after the connection, which takes its time on a busy machine. */
    const patient = newOutbound({ allowHosts: ['127.0.0.1'] })

    test('a TLS handshake that never ends times out', async () => {
      const error = await failure(outbound.request(`https://127.0.0.1:${port}/`))
      assert.equal(error.message, 'Could not connect to 127.0.0.1: no answer within 0.3 s.')
      assert.ok(error instanceof Unreachable && !error.sent)
    })
    test('a name that never resolves times out', async () => {
      const error = await failure(outbound.request('https://slow.test/'))
      assert.equal(error.message, 'Could not connect to slow.test: no answer within 0.3 s.')
    })
    test('an answer that never comes times out, by silence and as a whole', async () => {
      const silent = await failure(patient.request(`http://127.0.0.1:${port}/`, { headersTimeoutMs: 200 }))
      assert.equal(silent.message, 'The request to 127.0.0.1 failed: no answer in time.')
      // It may also be over before the connection stands.
      await until('one was sent', async () => {
        const whole = await failure(patient.request(`http://127.0.0.1:${port}/`, { timeoutMs: 200 }))
        assert.equal(whole.message, '127.0.0.1 gave no answer within 0.2 s.')
        return whole instanceof Unreachable && whole.sent
      })
    })
    test('a server that stops reading times out', async () => {
      const endless = Readable.from(
        (function* () {
          for (;;) yield Buffer.alloc(65_536)
        })(),
      )
      const deaf = createServer(socket => void socket.pause().on('error', () => {})).listen(0, '127.0.0.1')
      await event('it listens', deaf, 'listening')
      const url = `http://127.0.0.1:${(deaf.address() as { port: number }).port}/`
      const error = await failure(patient.request(url, { method: 'PUT', body: endless, headersTimeoutMs: 300 }))
      assert.equal(error.message, 'The request to 127.0.0.1 failed: no answer in time.')
      assert.ok(endless.destroyed)
      deaf.close()
    })
    test('cancelling gives the reason at once, also while connecting', async () => {
      for (const url of [`https://127.0.0.1:${port}/`, `http://127.0.0.1:${port}/`, 'https://slow.test/']) {
        const cancel = new AbortController()
        const work = newOutbound({
          allowHosts: ['127.0.0.1', 'slow.test'],
          resolve: () => new Promise(() => {}),
        }).request(url, { signal: cancel.signal })
        setImmediate(() => cancel.abort(new Error('no longer wanted')))
        await assert.rejects(work, /no longer wanted/)
      }
    })
    test('closing ends what is under way', async () => {
      const closing = newOutbound({ allowHosts: ['127.0.0.1'] })
      const work = closing.request(`http://127.0.0.1:${port}/`)
      setImmediate(() => void closing.close())
      await assert.rejects(work, error => isProblem(error, 'unavailable'))
    })
  })

  test('redirects are handed back by a request, and followed by a download with each hop checked', async () => {
    const hops: Receiver = await startReceiver({
      answer({ url }, response) {
        const [, kind, rest = ''] = url.split('/')
        if (kind === 'file') return void response.setHeader('content-type', 'image/png').end('bytes')
        if (kind === 'to') return void response.writeHead(302, { location: decodeURIComponent(rest) }).end()
        const left = Number(rest)
        response.writeHead(307, { location: left > 1 ? `/again/${left - 1}` : '/file' }).end()
      },
    })
    const outbound = newOutbound({ allowHosts: ['127.0.0.1'] })
    const to = (target: string) =>
      outbound.download(`${hops.url}/to/${encodeURIComponent(target)}`, { maxBytes: 100, signal })
    assert.equal((await outbound.request(`${hops.url}/to/x`)).status, 302)
    const done = await outbound.download(`${hops.url}/again/5`, { maxBytes: 100, signal })
    assert.equal(await text(done), 'bytes')
    assert.match(
      (await failure(outbound.download(`${hops.url}/again/6`, { maxBytes: 100, signal }))).message,
      /more than 5 times/,
    )
    for (const target of [
      `http://localhost.test:${canary.port}/`,
      `https://10.0.0.1:${canary.port}/`,
      'file:///etc/passwd',
      'https://u:p@example.com/',
      'http://169.254.169.254/latest/',
      `http://[::1]:${canary.port}/`,
    ]) {
      await assert.rejects(to(target), blockedUrl, target)
    }
    assert.equal((await failure(to('http://['))).code, 'download_failed')
    assert.equal(canary.connections(), 0)
    await hops.stop()
  })

  test('an answer larger than allowed is cut, announced or not', async () => {
    let written = 0
    const bomb = await startReceiver({
      raw(request, response) {
        if (request.url === '/announced') response.setHeader('content-length', 10 ** 9)
        const more = () => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536))) written += 65_536
        }
        response.on('drain', more)
        more()
      },
    })
    const outbound = newOutbound({ allowHosts: ['127.0.0.1'] })
    const announced = await failure(
      outbound.download(`${bomb.url}/announced`, { maxBytes: 10 ** 6, signal }).then(buffer),
    )
    assert.deepEqual(
      [announced.code, announced.message],
      ['too_large', 'The file to download is larger than 1000000 bytes.'],
    )
    const endless = await outbound.download(bomb.url, { maxBytes: 10 ** 6, signal })
    assert.equal((await failure(buffer(endless))).code, 'too_large')
    assert.ok(written < 50 * 2 ** 20)
    const answer = await outbound.request(bomb.url)
    assert.equal((await answer.text(1000)).length, 1000)
    await bomb.stop()
  })

  test('a download that breaks off fails instead of ending early', async () => {
    const broken = await startReceiver({
      raw(_request, response) {
        response.setHeader('content-length', 1000)
        response.write(Buffer.alloc(500), () => response.destroy())
      },
    })
    const body = await newOutbound({ allowHosts: ['127.0.0.1'] }).download(broken.url, { maxBytes: 10_000, signal })
    assert.equal((await failure(buffer(body))).code, 'download_failed')
    await broken.stop()
  })

  test('no connection is left open by read, dropped, failed and forgotten answers', async () => {
    const receiver = await startReceiver({
      answer: (_request, response) => void response.end(Buffer.alloc(12_000_000)),
    })
    const outbound = newOutbound({ allowHosts: ['127.0.0.1'] })
    await (await outbound.request(receiver.url)).text()
    ;(await outbound.request(receiver.url)).discard()
    await (await outbound.request(receiver.url)).json().catch(() => {})
    await outbound.request(receiver.url, { bodyTimeoutMs: 100 })
    await buffer((await outbound.request(receiver.url)).body)
    await until('all connections are closed', () => receiver.open() === 0, undefined, 20)
    assert.deepEqual([receiver.connections(), receiver.open()], [5, 0])
    await receiver.stop()
  })

  test('JSON is parsed within its limit', async () => {
    const receiver = await startReceiver({
      answer: ({ url }, response) => void response.end(url === '/no' ? '{' : `{"a": [${'1,'.repeat(100)}1]}`),
    })
    const outbound = newOutbound({ allowHosts: ['127.0.0.1'] })
    assert.equal(((await (await outbound.request(receiver.url)).json()) as { a: number[] }).a.length, 101)
    assert.match((await failure((await outbound.request(receiver.url)).json(50))).message, /too large/)
    assert.match((await failure((await outbound.request(`${receiver.url}/no`)).json())).message, /not JSON/)
    await receiver.stop()
  })
})

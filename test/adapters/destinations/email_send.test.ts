// email_send against a real SMTP server: the contract of destinations, and every option of its own.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { emailSend } from '#adapters/destinations/email_send.ts'
import { isProblem, type Problem } from '#kit/errors.ts'
import type { JsonObject } from '#kit/json.ts'
import { destinationContract } from '../../contract/destination.ts'
import { attachmentsOf, emailBed, mailLogin as login, mailUser as user } from '../../support/beds.ts'
import { newAuthority, trust } from '../../support/certificates.ts'
import { cleanUp } from '../../support/clean-up.ts'
import { checkpointOf, randomFile, stepFor } from '../../support/delivery.ts'
import { partsOf, startSmtp } from '../../support/smtp.ts'

destinationContract('email_send', emailBed, {
  afterLostAnswer: 'unknown',
  retracts: false,
  large: false,
  resumes: false,
  refusals: [
    {
      title: 'a wrong password',
      with: ({ auth }) => ({ auth: { ...auth, password: 'pass-word-2' } }),
      says: /^The mail server refused the user name or the password: 535 /,
    },
  ],
})

suite('email_send', async () => {
  const authority = await newAuthority()
  trust(authority)
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-email-'))
  const tls = await authority.issue(['127.0.0.1'])
  const server = await startSmtp({ user, tls })
  after(() =>
    cleanUp(
      () => server.stop(),
      () => rm(folder, { recursive: true, force: true }),
    ),
  )
  const photo = await randomFile(folder, 20_000, '.jpg', 'image/jpeg')
  const step = (options: JsonObject = {}, rest: object = {}, auth: JsonObject = {}) =>
    stepFor(emailSend, {
      options: { to: 'guest@example.com', subject: 'Your souvenir', file_name: 'photo.jpg', ...options },
      auth: { ...login, host: '127.0.0.1', port: server.port, ...auth },
      ...rest,
    })
  const problem = async (work: Promise<unknown>): Promise<Problem> => {
    const error = await work.then(
      () => assert.fail('it was sent'),
      (error: unknown) => error,
    )
    if (!isProblem(error)) throw error
    return error
  }
  const headersOf = (raw: string) => raw.slice(0, raw.indexOf('\r\n\r\n')).replace(/\r\n[ \t]+/g, ' ')

  test('without HTML of its own a mail is a card: the picture, the text, and a button where there is a link', async () => {
    await emailSend.deliver(photo, step({ text: 'Hello <you>\n\nBye', subject: 'A & B', title: 'For "you"' }))
    const [plain, html, file] = partsOf(server.messages.at(-1)!.raw)
    assert.equal(plain?.body.toString().trim(), 'Hello <you>\n\nBye'.replaceAll('\n', '\r\n'))
    const card = html?.body.toString() ?? ''
    assert.match(card, /<h1[^>]*>For &#34;you&#34;<\/h1><p[^>]*>Hello &#60;you&#62;<\/p><p[^>]*>Bye<\/p>/)
    assert.doesNotMatch(card, /<a /)
    const [, cid = ''] = /<img src="cid:([^"]+)"/.exec(card) ?? []
    assert.match(file?.headers ?? '', new RegExp(`content-id: <${cid}>`, 'i'))
    assert.match(file?.headers ?? '', /content-disposition: attachment/i)

    const link = 'https://gallery.example.com/?a=1&b=2'
    await emailSend.deliver(photo, step({ link, attach: 'link', text: 'Look:', button: 'See it', color: '#ffee00' }))
    const [words, button] = partsOf(server.messages.at(-1)!.raw)
    assert.match(words?.body.toString() ?? '', /Look:\s+https:\/\/gallery\.example\.com\/\?a=1&b=2/)
    assert.match(
      button?.body.toString() ?? '',
      /<a href="https:\/\/gallery\.example\.com\/\?a=1&#38;b=2"[^>]*color:#000000[^>]*>See it<\/a>/,
    )
    assert.doesNotMatch(button?.body.toString() ?? '', /<img/)

    const guest = { ...step({ text: 'Hi' }), context: { guest_url: 'https://keepsake.example.com/k/abc' } }
    await emailSend.deliver(photo, guest)
    const [beside, page] = partsOf(server.messages.at(-1)!.raw)
    assert.match(beside?.body.toString() ?? '', /keepsake\.example\.com\/k\/abc/)
    assert.match(page?.body.toString() ?? '', /<a href="https:\/\/keepsake\.example\.com\/k\/abc"/)

    await emailSend.deliver(photo, step({ text: 'Plain', design: 'none' }))
    assert.equal(partsOf(server.messages.at(-1)!.raw).length, 2)
  })

  test('text, HTML, subject and file arrive in any script, over STARTTLS, with the marker as Message-ID', async () => {
    const options = {
      to: 'Gäst <guest@example.com>, two@example.com',
      subject: 'Grüße 記念',
      text: 'Hallo ä\r\nWelt',
      html: '<b>ä</b>',
      file_name: 'Größe 記念.jpg',
    }
    const result = await emailSend.deliver(photo, step(options, { marker: 'task-2' }))
    assert.deepEqual(result, { message_id: '<task-2@example.org>', to: ['guest@example.com', 'two@example.com'] })
    const { from, to, raw } = server.messages.at(-1)!
    assert.deepEqual([from, to], ['bude@example.org', ['guest@example.com', 'two@example.com']])
    assert.match(headersOf(raw), /^Message-ID: <task-2@example\.org>$/im)
    assert.match(headersOf(raw), /^Subject: =\?UTF-8\?/im)
    const [plain, html, file] = partsOf(raw)
    assert.equal(plain?.body.toString().trim(), 'Hallo ä\r\nWelt')
    assert.equal(html?.body.toString().trim(), '<b>ä</b>')
    assert.deepEqual(file?.body, await readFile(photo.path))
    assert.match(file?.headers ?? '', /filename\*0\*=utf-8''Gr%C3%B6%C3%9Fe|filename\*=utf-8''/i)
    assert.match(file?.headers ?? '', /content-type: image\/jpeg/i)
  })

  test('TLS from the first byte works, and a certificate of nobody known is refused', async () => {
    const secure = await startSmtp({ user, tls, secure: true })
    await emailSend.deliver(photo, step({}, {}, { port: secure.port, secure: true }))
    assert.equal(secure.messages.length, 1)
    await secure.stop()
    for (const first of [true, false]) {
      const strange = await startSmtp({ user, tls: await (await newAuthority()).issue(['127.0.0.1']), secure: first })
      const error = await problem(emailSend.deliver(photo, step({}, {}, { port: strange.port, secure: first })))
      assert.match(error.message, /^The mail server offers no encryption that can be trusted/)
      assert.equal(strange.messages.length, 0)
      await strange.stop()
    }
  })

  test('a link takes the place of the file, by choice or because the file is too large', async () => {
    const link = 'https://gallery.example.com/?a=1&b=2'
    await emailSend.deliver(photo, step({ attach: 'link', link, text: 'Look:', html: '<p>Look:</p>' }))
    const [plain, html, ...rest] = partsOf(server.messages.at(-1)!.raw)
    assert.equal(plain?.body.toString().trim(), `Look:\r\n\r\n${link}`)
    assert.match(html?.body.toString() ?? '', /<a href="https:\/\/gallery\.example\.com\/\?a=1&#38;b=2">/)
    assert.equal(rest.length, 0)
    const large = step({ link, max_attach_bytes: 100 })
    await emailSend.deliver(photo, large)
    assert.deepEqual(attachmentsOf(server.messages.at(-1)!.raw), [])
    assert.deepEqual(large.heard.warnings, ['The file is too large to attach, so the link was sent in its place.'])
    assert.match(
      (await problem(emailSend.deliver(photo, step({ max_attach_bytes: 100 })))).message,
      /^The file has 20000 bytes, more than the 100/,
    )
    assert.equal((await problem(emailSend.deliver(photo, step({ attach: 'link' })))).code, 'option_missing')
  })

  test('nobody to send to is said before anything is sent', async () => {
    for (const to of ['', ' , '])
      assert.equal((await problem(emailSend.deliver(photo, step({ to })))).message, 'to holds no address to send to.')
  })

  test('an address that the server does not take is a warning, all of them a refusal', async () => {
    const one = step({ to: 'nobody@example.com, guest@example.com' })
    assert.deepEqual((await emailSend.deliver(photo, one)).to, ['guest@example.com'])
    assert.deepEqual(one.heard.warnings, ['The mail server did not take 1 of 2 addresses.'])
    const none = await problem(emailSend.deliver(photo, step({ to: 'nobody@example.com' })))
    assert.deepEqual(
      [none.code, /^The mail server refused the message \(550\): 550 No such mailbox$/.test(none.message)],
      ['destination_refused', true],
      none.message,
    )
  })

  test('a server that is busy may be asked again; one that refuses may not', async () => {
    server.refusals.push({ code: 451, text: 'Try later' })
    const busy = step()
    assert.equal((await problem(emailSend.deliver(photo, busy))).fault, 'transient')
    await emailSend.deliver(photo, step({}, { checkpoint: checkpointOf(busy) }))
    server.refusals.push({ code: 554, text: 'Spam' })
    const spam = await problem(emailSend.deliver(photo, step()))
    assert.deepEqual(
      [spam.code, spam.message],
      ['destination_refused', 'The mail server refused the message (554): 554 Spam'],
    )
  })

  test('the check rehearses sender and addresses, and sends nothing', async () => {
    const count = server.messages.length
    const lines = async (options: JsonObject = {}, auth: JsonObject = {}) =>
      (await Array.fromAsync(emailSend.check!(step(options, {}, auth)))).map(
        ({ ok, what, detail }) => `${ok ? 'green' : 'red'} ${what}: ${detail}`,
      )
    const signedIn = [
      'green Sign in: The mail server takes the user name and the password.',
      'green Encryption: The connection is encrypted, and the certificate is valid.',
    ]
    const last = 'green Not tried: send a message: A message that was sent cannot be taken back.'
    assert.deepEqual(await lines(), [
      ...signedIn,
      'green Sender: The mail server takes messages from bude@example.org; to whom comes with each guest.',
      last,
    ])
    assert.deepEqual(await lines({ to: 'print@shop.test, guest@example.com' }), [
      ...signedIn,
      'green Sender and addresses: The mail server takes messages from bude@example.org to print@shop.test.',
      last,
    ])
    assert.deepEqual(await lines({ to: 'nobody@shop.test' }), [
      ...signedIn,
      'red Sender and addresses: The mail server refused the message (550): 550 No such mailbox',
      last,
    ])
    assert.deepEqual(await lines({}, { from: 'barred@shop.test' }), [
      ...signedIn,
      'red Sender: The mail server refused the message (553): 553 Not your address',
      last,
    ])
    assert.equal(server.messages.length, count)
  })

  test('header lines and further recipients cannot be smuggled in', async () => {
    await emailSend.deliver(photo, step({ subject: 'a\r\nBcc: victim@example.com' }))
    const { to, raw } = server.messages.at(-1)!
    assert.deepEqual(to, ['guest@example.com'])
    assert.doesNotMatch(headersOf(raw), /^bcc:/im)
    assert.equal(
      (await problem(emailSend.deliver(photo, step({ to: 'guest@example.com\r\nBcc: victim@example.com' })))).code,
      'bad_options',
    )
  })

  test('what cannot be sent is said before anything runs, as far as placeholders leave it open', () => {
    const remarks = (options: JsonObject) =>
      emailSend.review?.(step(options).options, new Set()).map(({ kind, field }) => `${kind} ${field}`)
    assert.deepEqual(remarks({ to: 'guest@example.com\r\nBcc: victim@example.com' }), ['wrong to'])
    assert.deepEqual(remarks({ to: '{{profile.email}}\nBcc: victim@example.com' }), ['wrong to'])
    assert.deepEqual(remarks({ to: ' , ' }), ['missing to'])
    assert.deepEqual(remarks({ attach: 'link' }), ['missing attach'])
    assert.deepEqual(remarks({ attach: 'link', link: 'https://gallery.example.com/{{task_id}}' }), [])
    assert.deepEqual(remarks({ to: '{{profile.email}}' }), [])
  })
})

// What placeholders stand for is made fit for the place where they stand, in every option that is more than text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emailSend } from '#adapters/destinations/email_send.ts'
import { s3Upload } from '#adapters/destinations/s3_upload.ts'
import { sftpUpload } from '#adapters/destinations/sftp_upload.ts'
import { adapterList } from '#adapters/index.ts'
import { validateDefaults } from '#configurations/options.ts'
import { filledInPlace, refuseCrowd } from '#engine/placed.ts'
import { isProblem } from '#kit/errors.ts'

const refused = (work: () => unknown, field: string) =>
  assert.throws(work, error => isProblem(error, 'bad_options') && error.message.startsWith(`${field}: `))

test('a URL keeps its parts, and lists and numbers are filled in as ever', () => {
  const fill = (link: string, context: object) =>
    filledInPlace(emailSend, { link, text: '{{a}}' }, context as never) as { link: string }
  assert.deepEqual(fill('https://g.example/{{a}}?b={{a}}#{{a}}', { a: '../x?y=1&z#\u00fc' }), {
    link: 'https://g.example/..%2Fx%3Fy%3D1%26z%23%C3%BC?b=..%2Fx%3Fy%3D1%26z%23%C3%BC#..%2Fx%3Fy%3D1%26z%23%C3%BC',
  })
  assert.equal(
    fill('https://{{a}}.example/{{n}}', { a: 'evil.example/', n: 7 }).link,
    'https://evil.example%2F.example/7',
  )
  assert.equal(fill('https://g.example/{{a}}', { a: '\ud800' }).link, 'https://g.example/%EF%BF%BD')
  assert.equal(fill('https://g.example/../{{a}}', { a: 'x' }).link, 'https://g.example/../x', 'as it was written')
  for (const [link, a] of [
    ['https://g.example/{{a}}/x', '..'],
    ['https://g.example/.{{a}}', '.'],
    ['https://g.example/%2E{{a}}/x', '.'],
    ['https://g.example/{{a}}{{a}}', '.'],
  ] as const)
    refused(() => fill(link, { a }), 'link')
  const page = filledInPlace(emailSend, { html: '<b>{{a}}</b>' }, { a: '<i>' })
  assert.deepEqual(page, { html: '<b>&#60;i&#62;</b>' })
})

test('a link may be a placeholder as a whole: its address is taken as it is, and what follows stays inside of its part', () => {
  const page = 'https://k.example/k/3q2-7wAA'
  const fill = (link: string, a: string | null) => filledInPlace(emailSend, { link }, { a, name: 'A/B' } as never)
  assert.deepEqual(fill('{{a}}', page), { link: page })
  assert.deepEqual(fill('{{ a }}/file/{{name}}?b={{name}}', page), { link: `${page}/file/A%2FB?b=A%2FB` })
  assert.deepEqual(fill('{{a}}', 'http://g.example/x "y"\r\nz'), { link: 'http://g.example/x%20%22y%22%0D%0Az' })
  for (const nothing of ['', '  ', null])
    for (const link of ['{{a}}', '{{a}}/file/0']) assert.deepEqual(fill(link, nothing), { link: undefined }, link)
  for (const [link, a] of [
    ['{{a}}', 'javascript:alert(1)'],
    ['{{a}}', 'https://'],
    ['{{a}}', '//g.example'],
    ['{{a}}', '{{a}}'],
    ['{{a}}/{{a}}', '..'],
  ] as const)
    refused(() => fill(link, a), 'link')
})

test('every option that takes an address takes placeholders: whole where it is for guests, behind the host where the service goes there itself', () => {
  const addresses = [...adapterList({ localRoot: '/tmp' }).values()].flatMap(adapter =>
    Object.entries(adapter.options.properties as Record<string, object>)
      .filter(([, schema]) => JSON.stringify(schema).includes('"pattern":"^https?://'))
      .map(([name, schema]) => ({ adapter, name, schema: schema as { placeholders?: string } })),
  )
  assert.ok(addresses.length > 5)
  // Asked by the check before doors open.
  const alsoAsked = ['s3_upload.public_base_url', 's3_upload.bucket_url']
  for (const { adapter, name, schema } of addresses) {
    const told = `${adapter.name}.${name}`
    const isOurWay = adapter.addresses?.includes(name) || adapter.target?.includes(name) || alsoAsked.includes(told)
    const whole = validateDefaults(adapter, { [name]: '{{guest_url}}' }).filter(({ field }) => field.endsWith(name))
    assert.equal(whole.length > 0, isOurWay, `${told}: ${JSON.stringify(whole)}`)
    if (!isOurWay) assert.equal(schema.placeholders, 'link', told)
  }
})

test('a path leads out of no folder, and begins where it was meant to', () => {
  const fill = (options: object, a: string) => filledInPlace(sftpUpload, options as never, { a })
  assert.deepEqual(fill({ path: 'in/{{a}}' }, 'AC/DC'), { path: 'in/AC/DC' })
  assert.deepEqual(fill({ path: '/in/{{a}}' }, 'x'), { path: '/in/x' })
  for (const [option, template, a] of [
    ['path', '{{a}}', '/etc'],
    ['path', 'in/{{a}}', '../../etc'],
    ['path', 'in/{{a}}', '..'],
    ['path', 'in/.{{a}}', '.'],
    ['path', 'in/{{a}}', 'a\\..\\b'],
    ['path', 'in/{{a}}', 'a\0b'],
    ['file_prefix', '{{a}}', '/'],
    ['file_name', '{{a}}', '/etc/passwd'],
    ['file_name', '{{a}}.jpg', 'a/../../b'],
  ] as const)
    refused(() => fill({ [option]: template }, a), option)
})

test('every option that holds an address or a place says so', () => {
  const places = Object.entries({ ...s3Upload.options.properties, ...sftpUpload.options.properties })
    .filter(([, schema]) => 'placeholders' in schema)
    .map(([name]) => name)
  assert.deepEqual(places.sort(), ['bucket_url', 'file_name', 'file_prefix', 'path', 'public_base_url'])
})

test('a placeholder for a recipient stands for one address', () => {
  const fill = (to: string, context: object) => filledInPlace(emailSend, { to, subject: '{{a}}' }, context as never)
  assert.deepEqual(fill('{{a}}, crew@x.example', { a: 'v@x.example', b: 'x, y' }), {
    to: 'v@x.example, crew@x.example',
  })
  assert.deepEqual(fill('{{a}}', { a: null }), { to: '' })
  for (const a of ['v0@x.example, v1@x.example', 'v0@x.example;v1@x.example', 'crew: v0@x.example;', ['a@x', 'b@x']])
    refused(() => fill('{{ a }}', { a }), 'to')
})

test('a task brings ten recipients at most, unless the configuration names more', () => {
  const to = (count: number) => Array.from({ length: count }, (_, at) => `v${at}@x.example`).join(', ')
  refuseCrowd(emailSend, [{ to: '{{profile.email}}' }], { to: to(10), subject: 'a, '.repeat(99) })
  refuseCrowd(emailSend, [{ to: to(12) }], { to: to(12) })
  refuseCrowd(s3Upload, [], { file_key: ',,,,,,,,,,,,' })
  refused(() => refuseCrowd(emailSend, [{ to: '{{profile.email}}' }, {}], { to: to(11) }), 'to')
  refused(() => refuseCrowd(emailSend, [{ to: to(12) }], { to: to(13) }), 'to')
})

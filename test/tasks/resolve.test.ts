// What placeholders may become part of: plain texts as they are, pages escaped, names of deliveries only by their own task.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { emailSend } from '#adapters/destinations/email_send.ts'
import { localFile } from '#adapters/destinations/local_file.ts'
import { sortExtras } from '#configurations/options.ts'
import type { SnapshotEntry } from '#db/tables.ts'
import type { Adapter } from '#engine/adapter.ts'
import type { JsonObject } from '#kit/json.ts'
import { placeValues } from '#tasks/entry/place-values.ts'
import { resolveOptions } from '#tasks/entry/resolve.ts'

const resolved = (adapter: Adapter, defaults: JsonObject, extras: JsonObject = {}) => {
  const entry = { configuration: 'c', adapter_name: adapter.name, defaults } as unknown as SnapshotEntry
  const known = { task_id: 'task-1', index: 0, ext: '.jpg', profile: { name: 'Ann <b>"&"</b>' } }
  return resolveOptions(adapter, entry, sortExtras(extras, 'extras').sorted, known).options
}

describe('placeholders', () => {
  it('and extras add no crowd of recipients', () => {
    const crowd = Array.from({ length: 11 }, (_, at) => `v${at}@x.example`).join(';')
    const given = { to: '{{mail}}', subject: 'Hello' }
    assert.throws(() => resolved(emailSend, given, { additional_context: { mail: crowd } }), { code: 'bad_options' })
    assert.throws(() => resolved(emailSend, given, { to: crowd }), { code: 'bad_options' })
    assert.equal(resolved(emailSend, { ...given, to: crowd }).to, crowd)
  })

  it('are escaped in HTML and nowhere else', () => {
    const given = {
      subject: 'For {{profile.name}}',
      text: '{{profile.name}}',
      html: '<p>{{profile.name}} {{note}}</p>',
    }
    const { subject, text, html } = resolved(emailSend, given, { additional_context: { note: "it's <i>" } })
    assert.deepEqual([subject, text], ['For Ann <b>"&"</b>', 'Ann <b>"&"</b>'])
    assert.equal(html, '<p>Ann &#60;b&#62;&#34;&#38;&#34;&#60;/b&#62; it&#39;s &#60;i&#62;</p>')
    assert.equal(resolved(emailSend, { subject: 'x' }).html, undefined)
  })

  it('of a destination tell of its own task, whatever the extras say', () => {
    const context = { task_id: 'task-2', index: 9, guest: 'Bob' }
    const { file_prefix, file_name } = resolved(
      localFile(null),
      { file_prefix: '{{guest}}/' },
      { additional_context: context },
    )
    assert.deepEqual([file_prefix, file_name], ['Bob/', 'task-1-0.jpg'])
  })
})

describe('the place of a delivery', () => {
  const { sorted } = sortExtras({ additional_context: { where: 'hall' } }, 'extras')
  const known = (profile: JsonObject) => ({ task_id: 'task-1', index: 0, ext: '.jpg', guest_count: 1, profile })
  const at = (adapter: Adapter, defaults: JsonObject, profile: JsonObject, fixed: JsonObject | null = null) =>
    resolveOptions(adapter, { defaults }, sorted, known(profile), { fixed })
  const local = localFile(null)

  it('stays where the first attempt found it, whatever the profile says later', () => {
    const defaults = { folder: '{{where}}/{{ profile.attributes.team }}', file_name: '{{profile.name}}{{ext}}' }
    const first = at(local, defaults, { attributes: { team: 'red' }, name: null })
    assert.deepEqual(first.placeValues, { 'profile.attributes.team': 'red', 'profile.name': null })
    const later = at(local, defaults, { attributes: { team: '../blue' }, name: 'Ann' }, first.placeValues)
    assert.deepEqual(later, { ...first, context: later.context })
    assert.deepEqual([later.options.folder, later.options.file_name], ['hall/red', '.jpg'])
    assert.deepEqual(later.warnings, ['There is no value for {{profile.name}}; it was left empty.'])
  })

  it('is found at any depth of an option', () => {
    const place = { folders: ['{{profile.team}}', { of: '{{where}}/{{profile.name}}' }], number: 3 }
    const values = placeValues(place, known({ team: 'red', name: 'Ann' }))
    assert.deepEqual(values, { 'profile.team': 'red', 'profile.name': 'Ann' })
  })

  it('takes lists and objects as they were', () => {
    const defaults = { file_prefix: '{{profile.tags}}-{{profile.inner}}-{{profile.mixed}}-{{guest_count}}/' }
    const first = at(local, defaults, { tags: ['a', ['b']], inner: { a: 'secret' }, mixed: ['c', { d: 'secret' }] })
    assert.doesNotMatch(JSON.stringify(first.placeValues), /secret/)
    const later = at(local, defaults, {}, first.placeValues)
    assert.deepEqual(later, { ...first, context: later.context })
    assert.equal(later.options.file_prefix, 'a, b--c, -1/')
  })

  it('is all that is fixed, and nothing is where it takes nothing from a guest', () => {
    const mail = at(emailSend, { subject: '{{profile.name}}', file_name: '{{profile.name}}' }, { name: 'Ann' })
    assert.equal(mail.placeValues, null)
    assert.equal(at(local, { folder: '{{where}}/{{task_id}}' }, { name: 'Ann' }).placeValues, null)
  })
})

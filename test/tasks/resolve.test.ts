// What placeholders may become part of: plain texts as they are, pages escaped, names of deliveries only by their own task.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { emailSend } from '#adapters/destinations/email_send.ts'
import { localFile } from '#adapters/destinations/local_file.ts'
import { sortExtras } from '#configurations/options.ts'
import type { SnapshotEntry } from '#db/tables.ts'
import type { Adapter } from '#engine/adapter.ts'
import type { JsonObject } from '#kit/json.ts'
import { resolveOptions } from '#tasks/entry/resolve.ts'

const resolved = (adapter: Adapter, defaults: JsonObject, extras: JsonObject = {}) => {
  const entry = { configuration: 'c', adapter_name: adapter.name, defaults } as unknown as SnapshotEntry
  const known = { task_id: 'task-1', index: 0, ext: '.jpg', profile: { name: 'Ann <b>"&"</b>' } }
  return resolveOptions(adapter, entry, sortExtras(extras, 'extras').sorted, known).options
}

describe('placeholders', () => {
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

// Who asks: the address that connects, or what a trusted proxy says of it.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { newAddressOf } from '#kit/net/client-address.ts'
import { BadSetting, loadSettings } from '#kit/settings.ts'

test('without a trusted proxy X-Forwarded-For says nothing', () => {
  const of = newAddressOf([])
  assert.equal(of('192.0.2.7', '198.51.100.1'), '192.0.2.7')
  assert.equal(of('::ffff:192.0.2.7', undefined), '192.0.2.7')
  assert.equal(of('2001:db8:1:2:3:4:5:6', undefined), of('2001:db8:1:2::9', '10.0.0.1'))
  assert.notEqual(of('2001:db8:1:2::9', undefined), of('2001:db8:1:3::9', undefined))
  assert.equal(of('fe80::1%eth0', undefined), of('fe80::2', undefined))
  assert.equal(of(undefined, '1.2.3.4'), 'unknown')
})

test('behind trusted proxies the right-most address that is none of them counts', () => {
  const of = newAddressOf(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32'])
  assert.equal(of('10.1.2.3', '203.0.113.9'), '203.0.113.9')
  assert.equal(of('::ffff:10.1.2.3', ' 6.6.6.6 , 203.0.113.9 , 10.9.9.9'), '203.0.113.9')
  assert.equal(of('192.0.2.7', '203.0.113.9:4711'), '203.0.113.9')
  assert.equal(of('2001:db8::1', '[2001:470::1]:443'), '2001:470:0:0::/64')
  assert.equal(of('10.1.2.3', '::ffff:203.0.113.9'), '203.0.113.9')
  assert.equal(of('192.0.2.8', '203.0.113.9'), '192.0.2.8')
  assert.equal(of('10.1.2.3', '203.0.113.9, nonsense'), '10.1.2.3')
  assert.equal(of('10.1.2.3', ''), '10.1.2.3')
  assert.equal(of('10.1.2.3', '10.0.0.1, 10.0.0.2'), '10.0.0.1')
})

test('a bad range or a short admin token stops the start with one line that names the setting', () => {
  const load = (env: Record<string, string>) => () => loadSettings(env, join(import.meta.dirname, 'no.env'))
  for (const bad of ['10.0.0.0/33', '10.0.0', 'proxy.example', '10.0.0.0/8,*', '::1/129'])
    assert.throws(
      load({ KEEPSAKE_TRUST_PROXY: bad }),
      (error: Error) => error instanceof BadSetting && /^KEEPSAKE_TRUST_PROXY [^\n]+$/.test(error.message),
      bad,
    )
  assert.deepEqual(load({ KEEPSAKE_TRUST_PROXY: '127.0.0.1, ::1/128' })().trustProxy, ['127.0.0.1', '::1/128'])
  for (const short of ['a', 'x'.repeat(23), ` ${'x'.repeat(23)} `])
    assert.throws(
      load({ KEEPSAKE_ADMIN_TOKEN: short }),
      (error: Error) => error instanceof BadSetting && /^KEEPSAKE_ADMIN_TOKEN [^\n]+$/.test(error.message),
    )
  assert.equal(load({ KEEPSAKE_ADMIN_TOKEN: 'x'.repeat(24) })().adminToken, 'x'.repeat(24))
})

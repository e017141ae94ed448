// What the doctor says of machines that no test runs on.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkMachine, howToInstall } from '#commands/doctor-machine.ts'

test('Linux on x64 and arm64 is fine, other machines are told what they lack', () => {
  for (const arch of ['x64', 'arm64']) assert.deepEqual(checkMachine('linux', arch), ['ok', `Linux on ${arch}`])
  const [other, lacks] = checkMachine('linux', 'riscv64')
  assert.deepEqual([other, /set DATABASE_URL/.test(lacks)], ['warn', true])
  const [mac, differs] = checkMachine('darwin', 'arm64')
  assert.equal(mac, 'warn')
  assert.match(differs, /without a jail.+for events take Linux/)
  assert.equal(checkMachine('win32', 'x64')[0], 'fail')
})

test('what is missing is named as the machine knows it', () => {
  assert.equal(howToInstall('libjpeg-turbo-progs', 'linux'), 'sudo apt-get install libjpeg-turbo-progs')
  assert.equal(howToInstall('libjpeg-turbo-progs', 'darwin'), 'brew install jpeg-turbo')
  assert.equal(howToInstall('bubblewrap', 'darwin'), 'macOS has none')
})

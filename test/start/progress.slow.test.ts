// The progress of `keepsake run` in a real terminal of several widths: no line is wider than the window, and nothing is left standing.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { progressLines, widthOf } from '../../src/commands/terminal.ts'
import { type Keepsake, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { event } from '../support/until.ts'
import { root, testFolder } from './keepsake.ts'
import { runCommand } from './remote-command.ts'

/** Runs a program in a terminal of so many columns and prints what the terminal got. */
const TERMINAL = `
import fcntl, os, pty, struct, sys, termios
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 50, int(sys.argv[1]), 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
while True:
    try:
        piece = os.read(fd, 65536)
    except OSError:
        break
    if not piece:
        break
    os.write(1, piece)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`

const LONG = 'a guest with a very long name at the booth beside the entrance 雪だるま 📷 0417.png'
const skip =
  spawnSync('python3', ['-c', 'import pty, os; os.waitstatus_to_exitcode']).status === 0
    ? false
    : 'there is no python3 with pty here'

/** What stands on the screen in the end, and every line that was ever written. */
function screenOf(text: string): { screen: string[]; written: string[] } {
  let screen: string[] = []
  const written: string[] = []
  for (const part of text.replaceAll('\r', '').split(/(?=␛\[\d+A␛\[J)/)) {
    const [up = '', lines = ''] = part.startsWith('␛')
      ? [part.slice(2, part.indexOf('A')), part.slice(part.indexOf('J') + 1)]
      : ['0', part]
    screen = screen.slice(0, Math.max(0, screen.length - Number(up)))
    const more = lines.split('\n').slice(0, -1)
    screen.push(...more)
    written.push(...more)
  }
  return { screen, written }
}

describe('progress', () => {
  let keepsake: Keepsake
  before(async () => {
    keepsake = await startKeepsake()
    await keepsake.configure({
      configuration_name: 'small photo',
      experience_id: 'park',
      adapter_name: 'photo_resize',
      adapter_config: { auth: {}, defaults: { width: 20 } },
    })
  })
  after(() => keepsake.stop())

  for (const columns of [40, 80, 200])
    test(`in a terminal of ${columns} columns`, { skip }, async t => {
      const folder = testFolder(t)
      const photo = await png(pattern(64, 48, 3))
      for (const name of ['1.png', '2.png', '3.png', LONG]) writeFileSync(join(folder, name), photo)
      const command = [process.execPath, `${root}/src/main.ts`, 'run', '1.png', '2.png', '3.png', LONG]
      const child = spawn(
        'python3',
        ['-c', TERMINAL, String(columns), ...command, '-c', 'small photo', '--out', 'made'],
        {
          cwd: folder,
          env: {
            ...process.env,
            INIT_CWD: folder,
            TERM: 'xterm',
            NO_COLOR: '1',
            KEEPSAKE_URL: keepsake.url,
            KEEPSAKE_TOKEN: keepsake.token,
          },
        },
      )
      let text = ''
      child.stdout.setEncoding('utf8').on('data', piece => (text += piece.replaceAll('\u001b', '␛')))
      const [code] = await event('the command is through', child, 'close')
      assert.equal(code, 0, text)
      const { screen, written } = screenOf(text)
      assert.equal(screen.length, 4, screen.join('\n'))
      assert.deepEqual(screen.map(line => line.split('  ')[0]).sort(), ['1.png', '2.png', '3.png', LONG].sort())
      const drawn = written.filter(line => !line.includes('made/'))
      assert.ok(drawn.length > 0 && drawn.every(line => widthOf(line) < columns), drawn.join('\n'))
      assert.ok(drawn.some(line => line.includes('100 %')))
      assert.equal(
        drawn.some(line => line.includes('█')),
        columns > 60,
      )
      // Of colours there are none, and of the cursor only the steps back.
      assert.doesNotMatch(text.replace(/␛\[\d+A␛\[J/g, ''), /␛/)
    })

  test('without a terminal: a line for each word, and results on standard output alone', async t => {
    const folder = testFolder(t)
    writeFileSync(join(folder, '1.png'), await png(pattern(64, 48, 3)))
    const { code, out, err } = await runCommand(keepsake, folder, [
      'run',
      '1.png',
      '-c',
      'small photo',
      '--out',
      'made',
    ])
    assert.equal(code, 0, err)
    assert.match(out, /^\S+\/made\/1 small photo\.png\n$/)
    assert.match(err, /^1\.png {2}sending [\d.]+ k?B\n/)
    assert.ok(!err.includes('\u001b') && !err.includes('█'))
  })
})

test('lines stand below each other in columns and keep the end of long names', () => {
  const lines = new Map([
    [LONG, { what: 'sending 2.4 MB', share: 0.5 }],
    ['1.png', { what: 'small photo', share: 1 }],
    ['2.png', { what: 'waiting for its turn' }],
  ])
  for (const columns of [0, 40, 80, 200]) {
    const drawn = progressLines(lines, columns)
    assert.ok(
      drawn.every(line => widthOf(line) <= Math.max(20, columns - 1)),
      drawn.join('\n'),
    )
    const [first = '', second = ''] = drawn
    assert.equal(widthOf(first), widthOf(second))
    if (columns > 0) assert.match(first, /0417\.png/)
    assert.match(second, /^1\.png .*100 %$/)
  }
  assert.match(progressLines(lines, 80)[0] ?? '', /█{10}░{10} {3}50 %$/)
})

// The newcomer's path: the README and then the tutorial, literally, in a fresh clone. KEEPSAKE_NEWCOMER=whole installs everything, too.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { cleanUp, killAnyway } from '../support/clean-up.ts'
import { freePort } from '../support/free-port.ts'
import { assertAlike, compare, runSteps, type Step, stepsOf } from '../support/literally.ts'
import { workingIn } from '../support/processes.ts'
import { event, until } from '../support/until.ts'
import { root } from './keepsake.ts'

const isWhole = process.env.KEEPSAKE_NEWCOMER === 'whole'
/** An install takes minutes, a start seconds. */
const READY_MS = isWhole ? 30 * 60_000 : 120_000
const tools = ['git', 'curl', 'npm']
const missing = tools.filter(name => spawnSync(name, ['--version']).error !== undefined)

test('README and tutorial bring a newcomer from nothing to the pictures that they show', async t => {
  assert.deepEqual(missing, [], 'a newcomer has these')
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-newcomer-'))
  const left = () => workingIn(folder)
  t.after(() =>
    cleanUp(
      () => left().forEach(pid => void killAnyway(pid, 'SIGTERM')),
      () =>
        until('all has stopped', () => left().length === 0, 20_000).catch(() =>
          left().forEach(pid => void killAnyway(pid)),
        ),
      () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
    ),
  )
  const port = await freePort()
  const env = environment(folder, port)
  const repository = publish(folder, env)
  const [readme, tutorial] = ['README.md', 'docs/tutorial.md'].map(file =>
    stepsOf(
      readFileSync(root + file, 'utf8')
        .replaceAll('<this repository>', repository)
        .replaceAll('http://127.0.0.1:8080', `http://127.0.0.1:${port}`),
    ),
  ) as [Step[], Step[]]
  const clone = join(folder, 'keepsake')

  const first = await startAs(readme, folder, env)
  await runSteps(t, clone, env, readme)
  await assertAlike(join(clone, 'souvenir.jpg'), join(root, 'docs/images/souvenir.jpg'))
  await first.stop()

  // The newcomer has the clone already.
  const second = await startAs(tutorial, clone, env)
  assert.doesNotMatch(second.said(), /installing|building/)
  await runSteps(t, clone, env, tutorial)
  await assertAlike(join(clone, 'framed.jpg'), join(root, 'docs/images/framed.jpg'))
  await second.stop()
  assert.equal(
    git(['status', '--porcelain', '--untracked-files=no'], env, clone),
    '',
    'no file of the clone is changed',
  )
})

/** What a newcomer's shell knows: nothing of this project, its tests and its Node. */
function environment(folder: string, port: number): NodeJS.ProcessEnv {
  const ours = /^(KEEPSAKE_|DATABASE_|AWS_|GIT_|NODE_|npm_)|^(HOST|INIT_CWD)$/
  const kept = Object.entries(process.env).filter(([name]) => !ours.test(name))
  const path = (process.env.PATH ?? '').split(':').filter(part => !/node_modules|node-gyp/.test(part))
  const template = isWhole ? {} : { GIT_TEMPLATE_DIR: linkingTemplate(folder) }
  return { ...Object.fromEntries(kept), PATH: path.join(':'), PORT: String(port), ...template }
}

/** Every clone made with it finds what is installed here, so that its first start takes seconds. The commands stay as they are. */
function linkingTemplate(folder: string): string {
  const hooks = join(folder, 'template/hooks')
  mkdirSync(hooks, { recursive: true })
  const hook = `#!/bin/sh -e
ln -s '${root}node_modules' node_modules
mkdir .cache
for each in '${root}'.cache/node-*; do [ -e "$each" ] && ln -s "$each" .cache/; done
for each in console-stamp apt-tried; do [ -e '${root}.cache/'$each ] && cp '${root}.cache/'$each .cache/; done
[ -d '${root}console/dist' ] && cp -R '${root}console/dist' console/dist
`
  writeFileSync(join(hooks, 'post-checkout'), hook, { mode: 0o755 })
  return join(folder, 'template')
}

/** A repository of the files as they lie here, committed or not. */
function publish(folder: string, env: NodeJS.ProcessEnv): string {
  const repository = join(folder, 'published')
  git(['init', '--quiet', '--template=', repository], env)
  const there = ['--git-dir', join(repository, '.git'), '--work-tree', root]
  git([...there, 'add', '--all'], env, root)
  const author = ['-c', 'user.name=Newcomer', '-c', 'user.email=newcomer@example.com', '-c', 'commit.gpgsign=false']
  git([...author, ...there, 'commit', '--quiet', '--message', 'as it lies here'], env, root)
  return repository
}

function git(args: string[], env: NodeJS.ProcessEnv, cwd = root): string {
  const { status, stdout, stderr } = spawnSync('git', args, { env, cwd, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return stdout
}

/** Runs the block of a page that starts Keepsake, as in a terminal: Ctrl+C reaches everything in it. */
async function startAs(steps: Step[], folder: string, env: NodeJS.ProcessEnv) {
  const starts = steps.filter(({ kind }) => kind === 'start')
  assert.equal(starts.length, 1)
  const [{ code = '', shown } = {} as Step] = starts
  const terminal = spawn('bash', ['-e', '-c', code], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = event('the terminal is free again', terminal, 'close', READY_MS + 10 * 60_000)
  ended.catch(() => {})
  let said = ''
  for (const pipe of [terminal.stdout, terminal.stderr]) pipe.setEncoding('utf8').on('data', text => (said += text))
  await until(
    'Keepsake is ready',
    () => {
      assert.equal(terminal.exitCode, null, said)
      return /Admin token .*\n/.test(said) || (/Keepsake is ready/.test(said) && !shown)
    },
    READY_MS,
  ).catch(error => assert.fail(`${error.message}\n${said.slice(-3000)}`))
  // A worker that is ready later says so below the greeting.
  const [greeting = ''] = said.slice(said.indexOf('Keepsake is ready')).split('\n\n', 1)
  if (shown) compare(shown, greeting.trim(), code)
  return {
    said: () => said,
    async stop() {
      process.kill(-(terminal.pid ?? assert.fail('no terminal')), 'SIGINT')
      await ended
      // One that was killed may be seen for a moment.
      await until('nothing of it is left', () => workingIn(folder).length === 0)
    },
  }
}

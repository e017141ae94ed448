// Adapters that stand for code which took over a media child: they do what they are told and warn of what they got hold of.
import { execFileSync } from 'node:child_process'
import { linkSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'

interface Targets {
  read: string[]
  write: string[]
  list: string[]
  port: number
  signal: number
  /** What must never be seen in an environment. */
  canary: string
  /** Hand on a link to this file as the result. */
  forge?: string
  /** Start processes without end, each of which sleeps for so many seconds. */
  bomb?: number
}

interface SpyStep {
  options: { targets: string }
  warn(sentence: string): void
  folder?: string
}

const attempt = (work: () => unknown): string => {
  try {
    const got = work()
    return `got ${typeof got === 'string' ? got.slice(0, 80) : JSON.stringify(got ?? null)}`
  } catch (error) {
    return `refused ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`
  }
}

const reach = (port: number): Promise<string> =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.setTimeout(2_000, () => resolve('refused in silence'))
    socket.on('connect', () => resolve('got a connection')).on('error', error => resolve(`refused ${error.message}`))
  })

/** Every environment of every process that can be seen. */
const environments = (): string =>
  readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(pid => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8')
      } catch {
        return ''
      }
    })
    .join('\n')

const statusLine = (name: string): string =>
  new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? ''

/** Starts sleeping processes until the kernel refuses, which is an error. A shell forks faster than Node. */
const forks = (seconds: number): Buffer =>
  execFileSync('/bin/sh', ['-c', `i=0; while [ $i -lt 5000 ]; do /usr/bin/sleep ${seconds} & i=$((i+1)); done`], {
    stdio: 'ignore',
  })

async function spy(input: string, step: SpyStep): Promise<void> {
  const { read, write, list, port, signal, canary } = JSON.parse(step.options.targets) as Targets
  const report = {
    uid: process.getuid?.(),
    tool: attempt(() => execFileSync('/usr/bin/id', ['-u'], { encoding: 'utf8' }).trim()),
    capabilities: ['CapPrm', 'CapEff', 'CapBnd', 'CapAmb'].map(statusLine),
    noNewPrivileges: statusLine('NoNewPrivs'),
    limits: readFileSync('/proc/self/limits', 'utf8').split('\n').slice(1, -1),
    read: Object.fromEntries(read.map(path => [path, attempt(() => readFileSync(path, 'utf8'))])),
    write: Object.fromEntries(write.map(path => [path, attempt(() => writeFileSync(path, 'x'))])),
    list: Object.fromEntries(list.map(path => [path, attempt(() => readdirSync(path))])),
    environment: attempt(() => (environments().includes(canary) ? 'the canary' : 'nothing')),
    ownEnvironment: Object.keys(process.env),
    connect: await reach(port),
    signal: attempt(() => process.kill(signal, 0)),
    input: attempt(() => writeFileSync(input, 'changed')),
    linked: attempt(() => linkSync(input, join(dirname(dirname(input)), 'out', 'linked'))),
    neighbours: attempt(() => readdirSync(dirname(dirname(dirname(input))))),
  }
  step.warn(JSON.stringify(report))
}

const described = {
  accepts: ['image', 'video', 'file'],
  makes: 'same',
  options: {
    type: 'object',
    properties: { targets: { type: 'string', description: 'What to try.' } },
    required: ['targets'],
    additionalProperties: false,
  },
}

/** The path of the file that the picture or the graph was opened from. */
const roomFile = (): string => {
  const room = dirname(process.env.TMPDIR ?? '')
  return join(room, 'in', readdirSync(join(room, 'in'))[0] ?? '')
}

export default [
  {
    ...described,
    name: 'spy_image',
    summary: 'Spies in a picture child.',
    async image(picture: unknown, step: SpyStep) {
      await spy(roomFile(), step)
      return picture
    },
  },
  {
    ...described,
    name: 'spy_video',
    summary: 'Spies in a video child.',
    async video(_graph: unknown, streams: unknown, step: SpyStep) {
      await spy(roomFile(), step)
      return streams
    },
  },
  {
    ...described,
    name: 'spy_file',
    summary: 'Spies and may hand on what is not its own.',
    async run(input: { path: string }, step: SpyStep) {
      const { forge, bomb } = JSON.parse(step.options.targets) as Targets
      if (bomb) forks(bomb)
      const path = join(step.folder ?? '', 'made.bin')
      if (forge === undefined) {
        await spy(input.path, step)
        await copyFile(input.path, path)
      } else {
        // Where the result will be moved to, so that the probe inside sees a file and the worker gets the link.
        await copyFile(input.path, path)
        const out = dirname(step.folder ?? '')
        setImmediate(function swap() {
          try {
            readFileSync(join(out, 'output-made.bin'))
            execFileSync('/usr/bin/rm', ['-f', join(out, 'output-made.bin')])
            symlinkSync(forge, join(out, 'output-made.bin'))
          } catch {
            setImmediate(swap)
          }
        })
      }
      return { path }
    },
  },
]

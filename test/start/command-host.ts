// A process that runs `keepsake …` again and again, as if each were a process of its own: what commands have in common is loaded once.
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { killAnyway } from '../support/clean-up.ts'
import { event } from '../support/until.ts'
import { root } from './keepsake.ts'
import type { Ran, Server } from './remote-command.ts'

interface Asked {
  folder: string
  args: string[]
  env: Record<string, string>
}

export interface CommandHost {
  /** Like `runCommand`, one at a time. What is left open is no hindrance here: that a command ends, a process of its own shows. */
  run(server: Server, folder: string, args: string[], env?: Record<string, string>): Promise<Ran>
  stop(): void
}

export function startCommandHost(): CommandHost {
  const base = { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: join(root, '.cache/compile') }
  const child = fork(fileURLToPath(import.meta.url), { env: base, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  return {
    async run({ url, token }, folder, args, env = {}) {
      const own = { ...base, HOME: folder, KEEPSAKE_URL: url, KEEPSAKE_TOKEN: token, ...env }
      const ran = event('the command is through', child, 'message')
      child.send({ folder, args, env: own } satisfies Asked)
      return (await ran)[0] as Ran
    },
    stop: () => void killAnyway(child.pid),
  }
}

class Exit extends Error {}

let count = 0

async function runHere({ folder, args, env }: Asked): Promise<Ran> {
  const ran: Ran = { code: 0, out: '', err: '' }
  process.chdir(folder)
  // Not another object: the home of a user is read from what the system has.
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.argv.splice(1, Number.POSITIVE_INFINITY, join(root, 'src/main.ts'), ...args)
  process.exitCode = undefined
  process.stdout.write = (text: unknown) => {
    ran.out += text
    return true
  }
  process.stderr.write = (text: unknown) => {
    ran.err += text
    return true
  }
  process.exit = code => {
    process.exitCode = code
    throw new Exit()
  }
  try {
    // Another address each time: a module runs once.
    await import(`../../src/main.ts?${++count}`)
  } catch (error) {
    if (!(error instanceof Exit)) throw error
  }
  ran.code = process.exitCode ?? 0
  return ran
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.send)
  process.on('message', async (asked: Asked) => void process.send?.(await runHere(asked)))

#!/usr/bin/env node
// The command line. Every command loads only what it needs.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { BadCommand, CannotStart } from '#kit/cannot-start.ts'
import { Problem } from '#kit/errors.ts'
import '#kit/fast-imports.ts'
import { BadSetting, loadSettings, ownEnvironment } from '#kit/settings.ts'
import { version } from '#kit/telemetry/own-version.ts'
import { commands, type Given, isCommand, type Name } from './commands/commands.ts'
import { helpOf, overview } from './commands/help.ts'
import { terminal as newTerminal } from './commands/terminal.ts'

/** The exit code of a command line that is wrong. */
const USAGE = 2

const terminal = newTerminal()

/** Paths begin where the user stands. `npm run` goes to the checkout first, and tells where it was called. */
const here = (path: string): string => resolve(ownEnvironment().INIT_CWD ?? '.', path)

/** Of the deployment that the settings name. */
async function ownReceiptKey(): Promise<string> {
  const [{ withServices }, { receiptSigner }] = await Promise.all([
    import('./app.ts'),
    import('#erasures/receipt-key.ts'),
  ])
  return withServices(loadSettings(), async services => (await receiptSigner(services)).publicKey.public_key)
}

/** Each returns the exit code; nothing is 0. */
const actions: { [N in Name]: (given: Given<N>) => Promise<number | undefined> | number | undefined } = {
  async run(given) {
    if (given.values.local) return (await import('./commands/run-files.ts')).run(loadSettings(), given, terminal, here)
    return (await import('./commands/remote/run-remote.ts')).runRemote(given, terminal, here)
  },
  group: async given => (await import('./commands/remote/group-remote.ts')).groupRemote(given, terminal, here),
  get: async given => (await import('./commands/remote/get.ts')).get(given, terminal, here),
  search: async given => (await import('./commands/remote/get.ts')).search(given, terminal),
  tail: async given => (await import('./commands/remote/tail.ts')).tail(given, terminal),
  retry: async given => (await import('./commands/remote/steer-remote.ts')).steer('retry', given, terminal),
  cancel: async given => (await import('./commands/remote/steer-remote.ts')).steer('cancel', given, terminal),
  resend: async given => (await import('./commands/remote/steer-remote.ts')).resend(given, terminal),
  check: async given => (await import('./commands/remote/check-remote.ts')).checkRemote(given, terminal),
  async apply(given) {
    const server = given.values.local ? null : await named(given.values.url)
    if (server) return (await import('./commands/remote/apply-remote.ts')).applyRemote(given, server, terminal, here)
    return (await import('./commands/apply.ts')).apply(loadSettings(), given, terminal, here)
  },
  export: async given => (await import('./commands/remote/export.ts')).exportEvent(given, terminal, here),
  verify: async given => (await import('./commands/remote/verify.ts')).verify(given, terminal, here, ownReceiptKey),
  login: async given => (await import('./commands/remote/login.ts')).login(given, terminal),
  logout: async () => (await import('./commands/remote/login.ts')).logout(terminal),
  async token(given) {
    const server = given.values.local ? null : await named(given.values.url)
    if (server) return (await import('./commands/remote/token-remote.ts')).tokenRemote(given, server, terminal)
    terminal.print(await (await import('./commands/make-token.ts')).token(loadSettings(), given))
  },
  async completion(given) {
    process.stdout.write((await import('./commands/completion.ts')).completion(given))
  },
  async serve() {
    const { supervise } = await import('#supervisor/supervise.ts')
    process.exit(await supervise(loadSettings()))
  },
  async api() {
    const { runProcess } = await import('#supervisor/run-process.ts')
    await runProcess('api', async () => (await import('./app.ts')).runApi(loadSettings()))
  },
  async worker() {
    const { runProcess } = await import('#supervisor/run-process.ts')
    await runProcess('worker', async () => (await import('./app.ts')).runWorker(loadSettings()))
  },
  async migrate() {
    const { migrate } = await import('#db/migrate.ts')
    const { withDatabase } = await import('#postgres/with-database.ts')
    const applied = await withDatabase(loadSettings(), migrate)
    terminal.print(applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`)
  },
  backup: async ({ positionals }) =>
    void (await (
      await import('./commands/backup-commands.ts')
    ).backup(loadSettings(), positionals, terminal.print, here)),
  restore: async ({ positionals }) =>
    void (await (
      await import('./commands/backup-commands.ts')
    ).restore(loadSettings(), positionals, terminal.print, here)),
  'rotate-key': async () => (await import('./commands/rotate-key.ts')).rotateKey(loadSettings(), terminal.print),
  health: async () => (await import('./commands/check-health.ts')).health(loadSettings(), terminal),
  async doctor(given) {
    const server = given.values.local ? null : await named(given.values.url)
    if (server) return (await import('./commands/remote/doctor-remote.ts')).doctorRemote(server, terminal)
    return (await import('./commands/doctor.ts')).doctor(terminal.print)
  },
  help({ positionals: [name] }) {
    if (name !== undefined && !isCommand(name)) throw new BadCommand(unknown(name))
    process.stdout.write(name === undefined ? overview() : helpOf(name))
  },
  version: () => void terminal.print(version()),
}

/** The server that the command is for; null where none is named, and this machine is meant. */
const named = async (url: string | undefined) => (await import('./commands/remote/named-server.ts')).namedServer(url)

const unknown = (name: string): string => `There is no command "${name}"; there are ${Object.keys(commands).join(', ')}`

async function main(argv: string[]): Promise<number> {
  const [first = 'serve', ...rest] = argv
  if (['-h', '--help'].includes(first)) return await act('help', [])
  if (['-v', '--version'].includes(first)) return await act('version', [])
  if (!isCommand(first)) throw new BadCommand(unknown(first))
  if (rest.some(word => word === '-h' || word === '--help')) return await act('help', [first])
  return await act(first, rest)
}

async function act<N extends Name>(name: N, args: string[]): Promise<number> {
  const { options } = commands[name]
  const given = parseArgs({ args, options, allowPositionals: commands[name].usage !== '', strict: true })
  return (await actions[name](given as Given<N>)) ?? 0
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  const said = await sentence(error)
  console.error(said === null ? error : `keepsake: ${said[0]}`)
  process.exit(said?.[1] ?? 1)
}

/** What an operator is told, and the exit code; null for a fault of ours. */
async function sentence(error: unknown): Promise<[text: string, code: number] | null> {
  if (error instanceof BadCommand) return [error.message, USAGE]
  if (error instanceof CannotStart || error instanceof BadSetting) return [error.message, 1]
  if (error instanceof Problem) return [error.message, 1]
  if (!(error instanceof Error)) return null
  if (String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS')) return [error.message, USAGE]
  const { KeepsakeError } = await import('#client/node.ts')
  if (!(error instanceof KeepsakeError)) return null
  const { exitCodeOf, sentencesOf } = await import('./commands/remote/named-server.ts')
  return [sentencesOf(error), exitCodeOf(error)]
}

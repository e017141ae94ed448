#!/usr/bin/env node
// The command line. Every command loads only what it needs.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { CannotStart } from '#kit/cannot-start.ts'
import { Problem } from '#kit/errors.ts'
import { BadSetting, loadSettings } from '#kit/settings.ts'

const help = `Keepsake: processes what guests make at live events, and delivers it.

Usage: keepsake [command]

  serve      (default) everything KEEPSAKE_ROLE names, under a supervisor
  api        only the HTTP API, in this process
  worker     only the worker, in this process
  migrate    bring the database up to date
  token      make a token: keepsake token --name NAME [--scope read|tasks|write|admin] [--experience ID]… [--expires TIME]
             [--limit NAME=NUMBER]… (requests_per_minute, waiting_tasks, upload_bytes_per_day, streams)
  apply      make assets and configurations what a file says: keepsake apply event.json…
  run        run a configuration on files here: keepsake run CONFIGURATION FILE… [--extras JSON] [--out FOLDER]
  rotate-key seal all secrets anew with the newest key of KEEPSAKE_SECRET_KEY, while the service runs
  doctor     what this machine has and lacks
  help       this text
  version    the version

Settings come from the environment and from a .env file here; docs/operations.md lists them all.
`

const commands: Record<string, (args: string[]) => Promise<void>> = {
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
    console.log(applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`)
  },
  async token(args) {
    const { token } = await import('./commands/make-token.ts')
    console.log(await token(loadSettings(), args))
  },
  async apply(args) {
    const { apply } = await import('./commands/apply.ts')
    await apply(loadSettings(), args, line => console.log(line))
  },
  async run(args) {
    const { run } = await import('./commands/run-files.ts')
    process.exitCode = await run(
      loadSettings(),
      args,
      line => console.log(line),
      line => console.error(line),
    )
  },
  async 'rotate-key'() {
    const { rotateKey } = await import('./commands/rotate-key.ts')
    process.exitCode = await rotateKey(loadSettings(), line => console.log(line))
  },
  async doctor() {
    const { doctor } = await import('./commands/doctor.ts')
    process.exitCode = await doctor(line => console.log(line))
  },
  async help() {
    process.stdout.write(help)
  },
  async version() {
    const { version }: { version: string } = JSON.parse(
      readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
    )
    console.log(version)
  },
}

async function main(argv: string[]): Promise<void> {
  const [first = 'serve', ...rest] = argv
  const { values } = parseArgs({
    args: first.startsWith('-') ? [first] : [],
    options: { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' } },
  })
  const name = values.help ? 'help' : values.version ? 'version' : first
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) throw new CannotStart(`There is no command "${name}"; there are ${Object.keys(commands).join(', ')}`)
  await command(rest)
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  const forOperator =
    error instanceof BadSetting || error instanceof CannotStart || error instanceof Problem || isUsage(error)
  console.error(forOperator ? `keepsake: ${error.message}` : error)
  process.exit(1)
}

function isUsage(error: unknown): error is Error {
  return error instanceof Error && String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS')
}

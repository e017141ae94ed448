// Writes the parts of the docs that are made from the code. With --check it only says which are out of date.
// A part lies between `<!-- made: NAME -->` and `<!-- /made -->` in its file; each generator answers the text between.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { adapterIndex, adapterNames, adapterOverview, optionsTable } from './docs/adapters.mjs'
import { alertsTable } from './docs/alerts.mjs'
import { commandsText } from './docs/commands.mjs'
import { errorsTable } from './docs/errors.mjs'
import { metricsTable, processMetricsTable } from './docs/metrics.mjs'
import { rolesTable } from './docs/roles.mjs'
import { limitsTable, settingsTable } from './docs/settings.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
const adapterPages = globSync('docs/adapters/*.md', { cwd: root }).filter(
  file => adapterNames.includes(basename(file, '.md')) && readFileSync(root + file, 'utf8').includes('made: options'),
)

/** @type {{ file: string, name: string, make: () => string | Promise<string> }[]} */
const generators = [
  { file: 'README.md', name: 'adapters', make: adapterOverview },
  { file: 'docs/adapters/README.md', name: 'adapters', make: adapterIndex },
  ...adapterPages.map(file => ({ file, name: 'options', make: () => optionsTable(basename(file, '.md')) })),
  { file: 'docs/adapters/writing.md', name: 'roles', make: rolesTable },
  { file: 'docs/command-line.md', name: 'commands', make: commandsText },
  { file: 'docs/errors.md', name: 'codes', make: errorsTable },
  { file: 'docs/metrics.md', name: 'metrics', make: metricsTable },
  { file: 'docs/metrics.md', name: 'alerts', make: alertsTable },
  { file: 'docs/metrics.md', name: 'process metrics', make: processMetricsTable },
  { file: 'docs/operations.md', name: 'settings', make: settingsTable },
  { file: 'docs/operations.md', name: 'limits', make: limitsTable },
]

/** The file as it should be, and as it is. */
async function madeAnew({ file, name, make }) {
  const now = readFileSync(root + file, 'utf8')
  const [open, close] = [`<!-- made: ${name} -->\n`, '<!-- /made -->']
  const from = now.indexOf(open)
  const to = now.indexOf(close, from)
  if (from < 0 || to < 0) throw new Error(`${file} has no part "${name}"`)
  const text = `${now.slice(0, from + open.length)}\n${(await make()).trim()}\n\n${now.slice(to)}`
  return { file, name, now, text }
}

const check = process.argv.includes('--check')
for (const generator of generators) {
  const { file, name, now, text } = await madeAnew(generator)
  if (now === text) continue
  if (check) {
    console.error(`${file}: the part "${name}" is out of date; run: npm run docs`)
    process.exitCode = 1
  } else {
    writeFileSync(root + file, text)
    console.log(`${file}: ${name}`)
  }
}

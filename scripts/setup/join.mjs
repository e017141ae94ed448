// Joins each package of many small files into one file, which `src/kit/fast-imports.ts` loads in its place.
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { installedIn } from './installed.mjs'
import { inRoot, root } from './run.mjs'

/** Every way into a package is here: else there were two copies of it in a process. */
const specifiers = [
  'typebox',
  'typebox/compile',
  'typebox/format',
  'typebox/value',
  'kysely',
  'mediabunny',
  'file-type',
  'pg-boss',
  '@tus/server',
  'marked',
]
/** Written as CommonJS: their names are known only to who has loaded them. */
const common = [
  'undici',
  'qrcode',
  'fastify',
  '@fastify/static',
  '@fastify/swagger',
  'pg',
  'pino',
  'prom-client',
  'yaml',
]
const all = [...specifiers, ...common]

const made = inRoot('node_modules/.cache/joined')
const making = `${made}-${process.pid}`
const nameOf = specifier => specifier.replace('@', '').replaceAll('/', '-')

const pathOf = specifier => fileURLToPath(import.meta.resolve(specifier))
const isName = name => /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'default'

/** A module that exports what Node would, for each of the CommonJS packages. */
const PREFIX = 'common:'
const asModules = {
  name: 'common-as-modules',
  resolveId: id => (id.startsWith(PREFIX) ? `\0${id}` : null),
  async load(id) {
    if (!id.startsWith(`\0${PREFIX}`)) return null
    const specifier = id.slice(PREFIX.length + 1)
    const names = Object.keys(await import(specifier)).filter(isName)
    const each = names.map(name => `const own_${name} = whole.${name}\nexport { own_${name} as ${name} }`)
    return [`import whole from ${JSON.stringify(pathOf(specifier))}`, 'export default whole', ...each].join('\n')
  },
}

// First of all: without npm's list nothing would load what is joined.
const installed = installedIn(root)
try {
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins: [asModules],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir: making,
      target: 'node24',
      minify: false,
      rolldownOptions: {
        preserveEntrySignatures: 'strict',
        input: Object.fromEntries([
          ...specifiers.map(each => [nameOf(each), pathOf(each)]),
          ...common.map(each => [nameOf(each), `${PREFIX}${each}`]),
        ]),
        output: { entryFileNames: '[name].mjs', chunkFileNames: 'shared-[hash].mjs' },
      },
    },
  })
  writeFileSync(
    join(making, 'list.json'),
    JSON.stringify({
      installed,
      files: Object.fromEntries(all.map(each => [each, `${nameOf(each)}.mjs`])),
    }),
  )
  rmSync(made, { recursive: true, force: true })
  renameSync(making, made)
} finally {
  rmSync(making, { recursive: true, force: true })
}

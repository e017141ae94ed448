// npm run release -- --check: every form that this machine can run is started, used, stopped, upgraded and started again.
import { chownSync, cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ARCHITECTURE, has, imageFile, isRoot, SUITE } from './image.ts'
import { manifest } from './npm-package.ts'
import { run } from './run-program.ts'
import { type Form, type Times, tryForm } from './trial.ts'

const { version } = manifest
const NOTHING_MORE = { HOST: '127.0.0.1', KEEPSAKE_LOG_LEVEL: 'warn' }

interface Tried {
  form: string
  megabytes: number
  installed: number
  times: Times
}

/** Of the Dockerfile. */
const IMAGE_USER = 10001

type Maker = (to: string, work: string) => { form: Form; file: string; folder: string } | string

const megabytes = (path: string): number => Number(run('du', ['-sm', path]).stdout.split('\t')[0])
const tokenIn = (folder: string) => (): string => readFileSync(join(folder, 'admin-token'), 'utf8').trim()
const environment = (more: Record<string, string>): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  ...NOTHING_MORE,
  ...more,
})

/** Each answers how it is tried, or why it can't be here. */
const makers: Record<string, Maker> = {
  'npm package'(to, work) {
    const folder = join(work, 'npm')
    const data = join(work, 'npm-data')
    const file = join(to, `keepsake-${version}.tgz`)
    const install = (): void => {
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'package.json'), '{}')
      run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', file], { cwd: folder })
    }
    install()
    const start = (port: number) => ({
      program: join(folder, 'node_modules/.bin/keepsake'),
      args: [],
      env: environment({ PORT: String(port), KEEPSAKE_DATA: data }),
      cwd: folder,
    })
    return { form: { name: 'npm package', start, token: tokenIn(data), upgrade: install }, file, folder }
  },
  archive(to, work) {
    const folder = join(work, 'archive')
    const data = join(work, 'archive-data')
    const file = join(to, `keepsake-${version}-linux-${process.arch}.tar.gz`)
    const unpack = (): void => {
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder, { recursive: true })
      run('tar', ['-xzf', file, '-C', folder, '--strip-components=1'])
    }
    unpack()
    const start = (port: number) => ({
      program: join(folder, 'bin/keepsake'),
      args: [],
      env: environment({ PORT: String(port), KEEPSAKE_DATA: data }),
      cwd: work,
    })
    return { form: { name: 'archive', start, token: tokenIn(data), upgrade: unpack }, file, folder }
  },
  'Debian package'(to, work) {
    if (!isRoot() || !has('mmdebstrap')) return 'needs root and mmdebstrap'
    const folder = join(work, 'debian')
    run('mmdebstrap', ['--quiet', '--variant=apt', SUITE, folder])
    const file = join(to, `keepsake_${version}_${ARCHITECTURE}.deb`)
    cpSync(file, join(folder, basename(file)))
    // Its own /proc and /dev, for as long as the program runs.
    const inside = (...command: string[]): string[] => [
      '--mount',
      'sh',
      '-c',
      'mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot "$@"',
      folder,
      ...command,
    ]
    const apt = (...args: string[]): void =>
      void run('unshare', inside(folder, 'apt-get', '-q', ...args), {
        env: environment({ DEBIAN_FRONTEND: 'noninteractive', PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }),
      })
    const install = (...more: string[]): void => apt('install', '-y', ...more, `./${basename(file)}`)
    apt('update')
    install()
    const data = '/var/lib/keepsake'
    const start = (port: number) => ({
      program: 'unshare',
      args: inside('--userspec=keepsake:keepsake', folder, 'keepsake'),
      env: environment({ PORT: String(port), KEEPSAKE_DATA: data, HOME: data, PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }),
      cwd: work,
    })
    const form = {
      name: 'Debian package',
      start,
      token: tokenIn(join(folder, data)),
      upgrade: () => install('--reinstall'),
    }
    return { form, file, folder: join(folder, 'usr/lib/keepsake') }
  },
  image(to, work) {
    if (!isRoot() || !has('podman')) return 'needs root and podman'
    const file = imageFile(to)
    const data = join(work, 'image-data')
    mkdirSync(data)
    chownSync(data, IMAGE_USER, IMAGE_USER)
    const load = (): string => run('podman', ['load', '--quiet', '--input', file]).stdout.replace(/^.*: /, '').trim()
    const image = load()
    const name = `keepsake-check-${process.pid}`
    // By itself podman asks for as many as there can be, which a machine that is a container itself does not give.
    const limits = ['--ulimit=nofile=16384:16384', '--ulimit=nproc=4096:4096']
    const start = (port: number) => ({
      program: 'podman',
      args: [
        ...['run', '--rm', '--name', name, '--network=host', ...limits],
        ...['--read-only', '--tmpfs=/tmp', '--cap-drop=ALL', '--security-opt=no-new-privileges'],
        ...[`--env=PORT=${port}`, `--volume=${data}:/data`, image],
      ],
      env: environment({}),
      cwd: work,
    })
    const stop = (): void => void run('podman', ['stop', '--time', '60', name])
    const folder = run('podman', ['image', 'mount', image]).stdout.trim()
    return { form: { name: 'image', start, token: tokenIn(data), stop, upgrade: load }, file, folder }
  },
}

export async function check(to: string, tell: (line: string) => void): Promise<void> {
  const work = join(to, 'check')
  rmSync(work, { recursive: true, force: true })
  mkdirSync(work, { recursive: true })
  const tried: Tried[] = []
  for (const [name, make] of Object.entries(makers)) {
    const made = make(to, work)
    if (typeof made === 'string') {
      tell(`${name}: not tried here, it ${made}`)
      continue
    }
    const { form, file, folder } = made
    const installed = megabytes(folder)
    const size = Math.round(statSync(file).size / 1024 ** 2)
    tried.push({ form: name, megabytes: size, installed, times: await tryForm(form) })
    tell(`${name}: started, made a photo and a video, stopped, was upgraded and started again`)
  }
  tell(`\n${table(tried)}`)
  rmSync(work, { recursive: true, force: true })
}

const HEAD = ['form', 'file', 'installed', 'first start', 'photo', 'video', 'stop', 'next start']

function table(tried: readonly Tried[]): string {
  const seconds = (value: number): string => `${value.toFixed(1)} s`
  const rows = tried.map(({ form, megabytes, installed, times }) => [
    form,
    `${megabytes} MB`,
    `${installed} MB`,
    ...[times.ready, times.photo, times.video, times.stop, times.readyAgain].map(seconds),
  ])
  return [HEAD, HEAD.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

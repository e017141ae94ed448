// A real IPP printer: ippeveprinter of CUPS, with a message bus of its own, for photo paper of 4 x 6 inches.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanUp, killAnyway } from './clean-up.ts'
import { freePort } from './free-port.ts'
import { event, until } from './until.ts'

export interface EvePrinter {
  uri: string
  port: number
  /** Names of the jobs that came out, in order; one that came out twice is there twice. */
  printed(): string[]
  /** The documents of those jobs. */
  documents(): Promise<Buffer[]>
  /** Takes the paper away, or puts some in. */
  paper(sheets: number): Promise<void>
  clear(): Promise<void>
  stop(): Promise<void>
}

const photo = 'na_index-4x6_4x6in'
const collection = (name: string): string =>
  `ATTR collection ${name} { MEMBER collection media-size { MEMBER integer x-dimension 10160 MEMBER integer y-dimension 15240 } ` +
  `MEMBER keyword media-size-name ${photo} MEMBER integer media-bottom-margin 0 MEMBER integer media-left-margin 0 ` +
  'MEMBER integer media-right-margin 0 MEMBER integer media-top-margin 0 MEMBER keyword media-source main MEMBER keyword media-type photographic-glossy }'
const attributes = [
  'ATTR text printer-make-and-model "Keepsake Photo 46"',
  'ATTR text printer-info "Photo"',
  'ATTR boolean color-supported true',
  'ATTR mimeMediaType document-format-supported image/jpeg,image/pwg-raster',
  'ATTR mimeMediaType document-format-default image/jpeg',
  'ATTR rangeOfInteger copies-supported 1-99',
  'ATTR integer copies-default 1',
  `ATTR keyword media-supported ${photo}`,
  `ATTR keyword media-ready ${photo}`,
  `ATTR keyword media-default ${photo}`,
  'ATTR collection media-size-supported { MEMBER integer x-dimension 10160 MEMBER integer y-dimension 15240 }',
  collection('media-col-ready'),
  collection('media-col-default'),
  collection('media-col-database'),
  'ATTR keyword media-col-supported media-bottom-margin,media-left-margin,media-right-margin,media-size,media-size-name,media-source,media-top-margin,media-type',
  ...['bottom', 'left', 'right', 'top'].map(side => `ATTR integer media-${side}-margin-supported 0`),
  'ATTR keyword media-source-supported main',
  'ATTR keyword media-type-supported photographic-glossy',
  'ATTR keyword print-color-mode-supported auto,color,monochrome',
  'ATTR keyword print-color-mode-default color',
  'ATTR keyword print-scaling-supported auto,auto-fit,fill,fit,none',
  'ATTR keyword print-scaling-default auto',
  'ATTR enum print-quality-supported 3,4,5',
  'ATTR enum print-quality-default 4',
  'ATTR enum orientation-requested-supported 3,4,5,6',
  'ATTR resolution printer-resolution-supported 300dpi',
  'ATTR resolution printer-resolution-default 300dpi',
  'ATTR keyword sides-supported one-sided',
  'ATTR keyword sides-default one-sided',
  `ATTR keyword job-creation-attributes-supported copies,job-name,media,media-col,orientation-requested,print-color-mode,print-quality,print-scaling`,
  'ATTR octetString printer-input-tray type=sheetFeedAutoRemovableTray;mediafeed=0;mediaxfeed=0;maxcapacity=700;level=700;status=0;name=main',
]

/** The paper is a file: what prints waits until it says more than 0, and the printer says that it is empty meanwhile. */
const command = (folder: string): string => `#!/bin/sh
told=no
while [ "$(cat ${folder}/paper)" = 0 ]; do
  [ $told = no ] && echo "STATE: +media-empty" >&2
  told=yes
  sleep 0.1
done
[ $told = yes ] && echo "STATE: -media-empty" >&2
cp "$1" "${folder}/out/$IPP_JOB_ID.jpg"
echo "$IPP_JOB_NAME" >> ${folder}/printed
exit 0
`

const folders = `${process.env.PATH}:/usr/sbin`
const isThere = (program: string): boolean => folders.split(':').some(folder => existsSync(join(folder, program)))

/** Null where its programs are not installed. */
export async function startEvePrinter(): Promise<EvePrinter | null> {
  if (!isThere('dbus-daemon') || !isThere('ippeveprinter')) return null
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-printer-'))
  const children: ChildProcess[] = []
  let said = ''
  const start = (program: string, args: string[], env: Record<string, string> = {}): ChildProcess => {
    const child = spawn(program, args, { cwd: folder, env: { PATH: folders, ...env } })
    for (const pipe of [child.stdout, child.stderr]) pipe.setEncoding('utf8').on('data', text => (said += text))
    children.push(child)
    return child
  }
  const stop = (): Promise<void> =>
    cleanUp(
      ...children.toReversed().map(child => async () => {
        if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
        const ended = event('it has ended', child, 'exit')
        killAnyway(child.pid, 'SIGKILL')
        await ended
      }),
      () => rm(folder, { recursive: true, force: true }),
    )
  try {
    const address = `unix:path=${folder}/bus`
    start('dbus-daemon', ['--session', '--nofork', '--nopidfile', `--address=${address}`])
    await until('the bus is there', async () => existsSync(join(folder, 'bus')))
    await writeFile(join(folder, 'photo.conf'), `${attributes.join('\n')}\n`)
    await writeFile(join(folder, 'print.sh'), command(folder))
    await writeFile(join(folder, 'paper'), '700')
    await writeFile(join(folder, 'printed'), '')
    await chmod(join(folder, 'print.sh'), 0o755)
    for (const name of ['out', 'spool']) await import('node:fs/promises').then(fs => fs.mkdir(join(folder, name)))
    const port = await freePort()
    const flags = [
      '-p',
      String(port),
      '-K',
      folder,
      '-d',
      join(folder, 'spool'),
      '-a',
      join(folder, 'photo.conf'),
      '-r',
      'off',
    ]
    start('ippeveprinter', [...flags, '-c', join(folder, 'print.sh'), '-vv', 'Photo'], {
      DBUS_SYSTEM_BUS_ADDRESS: address,
    })
    await until('the printer answers', () =>
      fetch(`http://127.0.0.1:${port}/`).then(
        answer => answer.ok,
        () => false,
      ),
    ).catch(error => {
      throw new Error(said.slice(-2000), { cause: error })
    })
    const out = join(folder, 'out')
    return {
      uri: `ipp://127.0.0.1:${port}/ipp/print`,
      port,
      printed: () => readFileSync(join(folder, 'printed'), 'utf8').split('\n').filter(Boolean),
      documents: async () => Promise.all((await readdir(out)).map(name => readFile(join(out, name)))),
      paper: sheets => writeFile(join(folder, 'paper'), String(sheets)),
      async clear() {
        await writeFile(join(folder, 'printed'), '')
        for (const name of await readdir(out)) await rm(join(out, name))
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

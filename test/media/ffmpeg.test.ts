import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { inputGuards } from '#media/probe/demuxers.ts'
import { runFfmpeg } from '#media/process/ffmpeg.ts'
import { event, soon, until } from '../support/until.ts'
import { clip, fresh, tools, withFfmpeg } from '../support/videos.ts'

async function room() {
  const folder = fresh()
  await mkdir(folder)
  return { tools, folder, pixels: 57_600, seconds: 2 }
}

const endless = [
  '-filter_complex',
  'testsrc2=s=320x180:r=30,realtime[v]',
  '-map',
  '[v]',
  '-c:v',
  'libx264',
  '-f',
  'mp4',
]

/** Processes that name the folder in their command line. */
async function working(folder: string): Promise<number> {
  const lines = await Promise.all(
    (await readdir('/proc'))
      .filter(name => /^\d+$/.test(name))
      .map(pid => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  )
  return lines.filter(line => line.includes(`${folder}/`) && line.includes('ffmpeg') && !line.includes('node')).length
}

const isLinux = { skip: process.platform !== 'linux' ? 'looks into /proc' : withFfmpeg.skip }

test('progress rises to the end, and the command is told without paths and guards', withFfmpeg, async () => {
  const input = await clip()
  const here = await room()
  const seen: number[] = []
  const inputs = [{ path: input.path, label: 'input', options: inputGuards('mov', 1e6) }]
  const output = join(here.folder, 'out')
  const { command, frames } = await runFfmpeg(
    { inputs, options: ['-c:v', 'libx264', '-f', 'mp4'], output },
    { ...here, onProgress: fraction => void seen.push(fraction) },
  )
  assert.equal(frames, 60)
  assert.ok(
    seen.length > 0 && seen.every((value, i) => value >= 0 && value <= 1 && value >= (seen[i - 1] ?? 0)),
    seen.join(),
  )
  assert.equal(command.join(' '), 'ffmpeg -f mov -i {input} -c:v libx264 -f mp4 {output}')
})

test('a cancelled run is gone', isLinux, async () => {
  const here = await room()
  const stop = new AbortController()
  const started = Promise.withResolvers<void>()
  const running = runFfmpeg(
    { inputs: [], options: endless, output: join(here.folder, 'out') },
    { ...here, signal: stop.signal, onProgress: () => started.resolve() },
  )
  running.catch(() => {})
  await soon('it has begun', started.promise)
  stop.abort()
  await soon('it has ended', assert.rejects(running, { code: 'cancelled' }))
  await until('nothing works there any more', async () => (await working(here.folder)) === 0)
})

test('what ends the media child’s group ends ffmpeg too', isLinux, async t => {
  const here = await room()
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'ffmpeg-child.ts'), JSON.stringify(tools), here.folder],
    { detached: true, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  t.after(() => child.kill('SIGKILL'))
  await event('it works', child.stdout!, 'data')
  assert.ok((await working(here.folder)) > 0)
  process.kill(-child.pid!, 'SIGKILL')
  await event('it has ended', child, 'exit')
  await until('nothing works there any more', async () => (await working(here.folder)) === 0)
})

test('a run without any sign of life is stopped, and says nothing of the file', isLinux, async () => {
  const here = await room()
  const pipe = join(here.folder, 'silent')
  execFileSync('mkfifo', [pipe])
  const inputs = [{ path: pipe, label: 'input', options: ['-f', 'mov'] }]
  await assert.rejects(runFfmpeg({ inputs, options: ['-f', 'null'], output: '-' }, { ...here, stuckMs: 700 }), {
    code: 'media_failed',
    crash: true,
  })
})

test('a broken file is told as such, in words without a path', withFfmpeg, async () => {
  const here = await room()
  const inputs = [{ path: import.meta.filename, label: 'input', options: inputGuards('mov', 1e6) }]
  await assert.rejects(
    runFfmpeg({ inputs, options: ['-f', 'mp4'], output: join(here.folder, 'out') }, here),
    (error: Error & { code: string }) => error.code === 'corrupt_input' && !error.message.includes('/'),
  )
})

test('without ffmpeg it says so', async () => {
  await assert.rejects(
    runFfmpeg(
      { inputs: [], options: [], output: null },
      { ...(await room()), tools: { ffmpeg: null, ffprobe: null, jpegtran: null } },
    ),
    { code: 'tool_missing' },
  )
})

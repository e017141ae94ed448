// Tries a form of the release as its user would: starts it, has a photo and a video made, stops it, and starts it anew on the same data.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from './run-program.ts'

export interface Form {
  name: string
  /** How it is started; it listens on this port of this machine. */
  start(port: number): { program: string; args: string[]; env: NodeJS.ProcessEnv; cwd: string }
  /** The admin token, once it runs. */
  token(): string
  /** How the process in it is asked to stop, where a signal does not reach it. */
  stop?(): void
  /** What an upgrade does between two starts. */
  upgrade?(): void
}

/** Seconds, each since the step before. */
export interface Times {
  ready: number
  photo: number
  video: number
  stop: number
  readyAgain: number
}

const READY_MS = 180_000
const TASK_MS = 120_000
const STOP_MS = 90_000
const ANSWER_MS = 20_000

export async function tryForm(form: Form): Promise<Times> {
  const first = await started(form)
  const [photo, video] = await withProcess(first.child, async () => {
    const service = client(first.url, form.token())
    const flip = (name: string, adapter_name: string) => ({
      configuration_name: name,
      experience_id: 'trial',
      adapter_name,
      adapter_config: { auth: {}, defaults: { method: 'FLIP_LEFT_RIGHT' } },
    })
    for (const body of [flip('photo', 'photo_flip'), flip('video', 'video_flip')])
      await service('POST', '/api/configuration/', JSON.stringify(body), 201)
    const made: number[] = []
    for (const [configuration, file] of Object.entries({ photo: clip('png'), video: clip('mp4') }))
      made.push(await timed(() => make(service, configuration, file)))
    return made
  })
  const stop = await timed(() => stopped(first.child, form))
  form.upgrade?.()
  const again = await started(form)
  await withProcess(again.child, async () => {
    const service = client(again.url, form.token())
    const { items } = JSON.parse(await service('GET', '/api/task/?status=Succeeded', null, 200)) as { items: object[] }
    if (items.length !== 2) throw new Error(`after the second start it knows ${items.length} tasks instead of 2`)
  })
  await stopped(again.child, form)
  return { ready: first.seconds, photo: photo ?? 0, video: video ?? 0, stop, readyAgain: again.seconds }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}

/** A second of a moving picture; or its first frame. */
function clip(kind: 'png' | 'mp4'): Buffer {
  const codec = kind === 'png' ? ['-frames:v', '1', '-f', 'image2pipe', '-c:v', 'png'] : ['-t', '1', '-c:v', 'libx264']
  const whole = kind === 'mp4' ? ['-pix_fmt', 'yuv420p', '-movflags', 'frag_keyframe+empty_moov', '-f', 'mp4'] : []
  const args = ['-v', 'error', '-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=25', ...codec, ...whole, '-']
  return Buffer.from(run('sh', ['-c', 'ffmpeg "$@" | base64 -w0', 'ffmpeg', ...args]).stdout, 'base64')
}

type Service = (method: 'GET' | 'POST', path: string, body: string | FormData | null, status: number) => Promise<string>

function client(url: string, token: string): Service {
  return async (method, path, body, status) => {
    const answer = await fetch(url + path, {
      method,
      body,
      signal: AbortSignal.timeout(ANSWER_MS),
      headers: {
        authorization: `Bearer ${token}`,
        ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
      },
    })
    const text = await answer.text()
    if (answer.status !== status) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`)
    return text
  }
}

async function make(service: Service, configuration: string, file: Buffer): Promise<void> {
  const form = new FormData()
  form.append('configuration_name', configuration)
  form.append('data', new Blob([new Uint8Array(file)]))
  const { task_id } = JSON.parse(await service('POST', '/api/task/', form, 202)) as { task_id: string }
  for (const end = Date.now() + TASK_MS; ; await sleep(50)) {
    const task = JSON.parse(await service('GET', `/api/task/${task_id}/`, null, 200)) as { status: string }
    if (task.status === 'Succeeded') break
    if (task.status === 'Failed' || Date.now() > end) throw new Error(`${configuration}: ${JSON.stringify(task)}`)
  }
  const output = await service('GET', `/api/task/${task_id}/output/0/`, null, 200)
  if (output.length < 100) throw new Error(`${configuration}: the output has only ${output.length} bytes`)
}

interface Started {
  child: ChildProcess
  url: string
  seconds: number
}

async function started(form: Form): Promise<Started> {
  const port = await freePort()
  const { program, args, env, cwd } = form.start(port)
  const began = performance.now()
  const child = spawn(program, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', text => (said += text))
  const url = `http://127.0.0.1:${port}`
  for (const end = Date.now() + READY_MS; ; await sleep(50)) {
    const isReady = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_MS) }).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return { child, url, seconds: (performance.now() - began) / 1000 }
    if (child.exitCode === null && Date.now() < end) continue
    child.kill('SIGKILL')
    throw new Error(`${form.name} did not start; it said ${said.slice(-4000)}`)
  }
}

/** Whatever goes wrong, nothing is left running. */
async function withProcess<T>(child: ChildProcess, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    child.kill('SIGTERM')
    throw error
  }
}

async function stopped(child: ChildProcess, form: Form): Promise<void> {
  const ended = once(child, 'exit', { signal: AbortSignal.timeout(STOP_MS) })
  if (form.stop) form.stop()
  else child.kill('SIGTERM')
  const [code] = (await ended) as [number | null]
  if (code !== 0) throw new Error(`${form.name} ended with ${code}`)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await new Promise(resolve => server.close(resolve))
  return port
}

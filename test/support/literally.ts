// Runs the commands of a page as a reader would, one block after the other in one shell, and compares what they print with what the page shows.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import sharp from 'sharp'
import type { Keepsake } from './keepsake.ts'
import { root } from './markdown.ts'
import { event } from './until.ts'

export interface Step {
  code: string
  /** `start` and `clone`: what brings the service of the page up; `background`: runs until the page is through, as in a terminal of its own. */
  kind: 'command' | 'background' | 'start' | 'clone'
  shown?: { language: string; text: string }
}

const MARK = '=== step'
/** All commands of a page, with the services that they start. */
const PAGE_MS = 480_000

const kinds: Record<string, Step['kind']> = {
  sh: 'command',
  'sh background': 'background',
  'sh start': 'start',
  'sh clone': 'clone',
}

/** The blocks marked `sh`, each with the block of output that follows it. */
export function stepsOf(markdown: string): Step[] {
  const steps: Step[] = []
  let end = -1
  for (const { index, 0: all, 1: info = '', 2: code = '' } of markdown.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)) {
    const between = end < 0 ? '' : markdown.slice(end, index).trim()
    end = index + all.length
    const last = steps.at(-1)
    const kind = kinds[info]
    if (kind) steps.push({ code, kind })
    else if ((info === '' || info === 'json') && last && !last.shown && between === '')
      last.shown = { language: info, text: code }
  }
  return steps
}

/** Runs a page in a folder that looks like a checkout with a started service; answers that folder. */
export async function follow(t: TestContext, keepsake: Keepsake, markdown: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-page-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'data'))
  writeFileSync(join(folder, 'data/admin-token'), `${keepsake.token}\n`)
  for (const name of readdirSync(root))
    if (!['data', 'mail', '.git'].includes(name)) symlinkSync(root + name, join(folder, name))
  const env = { ...process.env, KEEPSAKE_URL: keepsake.url, KEEPSAKE_TOKEN: keepsake.token }
  await runSteps(t, folder, env, stepsOf(markdown))
  return folder
}

/** Runs the commands of a page against a service that is there already, and compares what they print. */
export async function runSteps(
  t: TestContext,
  folder: string,
  env: NodeJS.ProcessEnv,
  all: readonly Step[],
): Promise<void> {
  const steps = all.filter(({ kind }) => kind === 'command' || kind === 'background')
  const script = steps.map(({ code, kind }, at) =>
    kind === 'background'
      ? `( ${code.trim()}\n) > background-${at}.log 2>&1 &\nBACKGROUND="$BACKGROUND $!"\n${heardOf(at)}`
      : `echo; echo '${MARK} ${at}'\n${code}`,
  )
  const shell = spawn(
    'bash',
    [
      '-e',
      '-o',
      'pipefail',
      '-c',
      `BACKGROUND=; trap 'kill $BACKGROUND 2>/dev/null || true' EXIT\n${script.join('\n')}`,
    ],
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], env },
  )
  t.after(() => shell.kill('SIGKILL'))
  let said = ''
  let complained = ''
  shell.stdout.setEncoding('utf8').on('data', text => (said += text))
  shell.stderr.setEncoding('utf8').on('data', text => (complained += text))
  const [code] = await event('the commands are through', shell, 'close', PAGE_MS)
  assert.equal(code, 0, `${said.slice(-2000)}\n${complained.slice(-2000)}`)
  const printed = new Map(
    said
      .split(`\n${MARK} `)
      .slice(1)
      .map(part => [Number.parseInt(part, 10), part.slice(part.indexOf('\n') + 1).trim()]),
  )
  for (const [at, { shown, code }] of steps.entries()) if (shown) compare(shown, printed.get(at) ?? '', code)
}

/** A reader goes on when the other terminal says something. */
const heardOf = (at: number): string => `for _ in $(seq 600); do [ -s background-${at}.log ] && break; sleep 0.1; done`

/** `…` stands for any text; in JSON the pair `"…": "…"` for further fields. */
export function compare(
  { language, text }: { language: string; text: string },
  printed: string,
  command: string,
): void {
  if (language === 'json') {
    sameJson(JSON.parse(text), JSON.parse(printed.split('\n').at(-1) ?? ''), command)
    return
  }
  const pattern = text
    .trim()
    .split('…')
    .map(part => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  assert.match(printed, new RegExp(`(^|\n)${pattern.join('[^\\n]*')}$`), command)
}

function sameJson(shown: unknown, printed: unknown, where: string): void {
  if (typeof shown === 'string' && shown.includes('…')) {
    const [before = '', after = ''] = shown.split('…')
    assert.ok(typeof printed === 'string' && printed.startsWith(before) && printed.endsWith(after), where)
  } else if (Array.isArray(shown)) {
    assert.ok(Array.isArray(printed), where)
    assert.equal(printed.length, shown.length, where)
    for (const [at, value] of shown.entries()) sameJson(value, printed[at], `${where} [${at}]`)
  } else if (typeof shown === 'object' && shown !== null) {
    assert.ok(typeof printed === 'object' && printed !== null, where)
    const { '…': more, ...fields } = shown as Record<string, unknown>
    const known = Object.keys(fields)
    if (more === undefined) assert.deepEqual(Object.keys(printed).sort(), known.sort(), where)
    for (const key of known) sameJson(fields[key], (printed as Record<string, unknown>)[key], `${where} .${key}`)
  } else assert.deepEqual(printed, shown, where)
}

/** Whether a picture is the one of the page. The QR code holds the id of the task, so a part of it may differ. */
export async function assertAlike(made: string, picture: string): Promise<void> {
  const pixels = (file: string) => sharp(file).resize(64, 64, { fit: 'fill' }).removeAlpha().raw().toBuffer()
  const [one, other] = await Promise.all([pixels(made), pixels(picture)])
  const different = one.filter((value, at) => Math.abs(value - (other[at] ?? 0)) > 40).length
  assert.ok(different / one.length < 0.03, `${picture}: ${different} of ${one.length} samples differ`)
}

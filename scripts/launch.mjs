#!/usr/bin/env node
// The command `keepsake` of the npm package. Runs on any Node from 18 on; what runs the service itself is Node 24.
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { ensureNode, node } from './setup/node.mjs'
import { cache } from './setup/run.mjs'
import { ensureTools } from './setup/tools.mjs'

const main = new URL('../src/main.js', import.meta.url)
const [command = 'serve'] = process.argv.slice(2)

if (command === 'serve' || command === 'doctor' || node() !== process.execPath) mkdirSync(cache, { recursive: true })
if (command === 'serve') await ensureTools(false)
if (node() === process.execPath) {
  process.argv[1] = fileURLToPath(main)
  await import(main.href)
} else {
  await ensureNode()
  await handOver(node())
}

/** Everything that comes to us goes on to it, and its end is ours. */
async function handOver(program) {
  const child = spawn(program, [fileURLToPath(main), ...process.argv.slice(2)], { stdio: 'inherit' })
  // A terminal sends Ctrl+C to both; whoever hears it twice goes on with what it began.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.on(signal, () => child.kill(signal))
  const [code, signal] = await new Promise(done => {
    child.once('error', () => done([1, null])).once('exit', (...end) => done(end))
  })
  process.exit(signal ? 128 + constants.signals[signal] : code)
}

// Runs the benchmarks: all of bench/*.ts, or those named (`npm run bench -- photos`), one after the other. Options of one benchmark
// stand behind its name (`npm run bench -- others --rounds 1`).
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../bench/', import.meta.url))
const known = readdirSync(folder)
  .filter(name => name.endsWith('.ts'))
  .map(name => name.slice(0, -'.ts'.length))
const given = process.argv.slice(2)
const firstOption = given.findIndex(name => name.startsWith('-'))
const wanted = firstOption < 0 ? given : given.slice(0, firstOption)
const options = given.slice(wanted.length)
if (options.length > 0 && wanted.length !== 1) {
  console.error('Options stand behind the name of one benchmark')
  process.exit(1)
}
const unknown = wanted.filter(name => !known.includes(name))
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}; there are: ${known.join(', ') || 'none yet'}`)
  process.exit(1)
}
for (const name of wanted.length > 0 ? wanted : known) {
  console.log(`\n# ${name}`)
  // This one does in its own process what media children do, so it has their heap.
  const heap = name === 'vision' ? { MALLOC_ARENA_MAX: '1' } : {}
  const env = { ...process.env, ...heap }
  const { status } = spawnSync(process.execPath, [`${folder}${name}.ts`, ...options], { stdio: 'inherit', env })
  if (status !== 0) process.exitCode = 1
}

// Runs the benchmarks: all of bench/*.ts, or those named (`npm run bench -- photo-chain`), one after the other.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../bench/', import.meta.url))
const known = readdirSync(folder)
  .filter(name => name.endsWith('.ts'))
  .map(name => name.slice(0, -'.ts'.length))
const wanted = process.argv.slice(2).filter(name => !name.startsWith('-'))
const unknown = wanted.filter(name => !known.includes(name))
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}; there are: ${known.join(', ') || 'none yet'}`)
  process.exit(1)
}
for (const name of wanted.length > 0 ? wanted : known) {
  console.log(`\n# ${name}`)
  const { status } = spawnSync(process.execPath, [`${folder}${name}.ts`], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}

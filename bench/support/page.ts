// Puts a table into docs/benchmarks.md, where two comments keep its place.
import { readFileSync, writeFileSync } from 'node:fs'

export function writePage(name: string, table: string): void {
  const page = new URL('../../docs/benchmarks.md', import.meta.url)
  const text = readFileSync(page, 'utf8')
  const around = new RegExp(`(?<=<!-- ${name} -->\n)[\\s\\S]*(?=<!-- end of ${name} -->)`)
  if (!around.test(text)) throw new Error('docs/benchmarks.md has no place for it')
  writeFileSync(
    page,
    text.replace(around, () => `\n${table}\n\n`),
  )
}

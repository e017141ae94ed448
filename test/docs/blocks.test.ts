// Every fenced block of every page: whatever its language, it is at least read as the reader's tool would read it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { test } from 'node:test'
import { parse } from 'yaml'
import { commands } from '../../src/commands/commands.ts'
import { pages, root } from '../support/markdown.ts'

const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))

/** Says what a tool has against it. */
function read(program: string, args: string[], code: string): void {
  const { status, stderr, error } = spawnSync(program, args, { input: code, encoding: 'utf8' })
  assert.equal(status, 0, `${error?.message ?? ''}${stderr}\n${code}`)
}

/** A shell reads it, and its npm scripts, commands and options exist. */
function readShell(code: string): void {
  read('bash', ['-n'], code)
  const joined = code.replaceAll('\\\n', ' ')
  for (const [, name = ''] of joined.matchAll(/\bnpm run ([\w:]+)/g)) assert.ok(name in scripts, `npm run ${name}`)
  for (const [line, name = '', rest = ''] of joined.matchAll(/^(?:npm run keepsake -- |keepsake )(\w[\w-]*)(.*)$/gm)) {
    assert.ok(Object.hasOwn(commands, name), line)
    const { options } = commands[name as keyof typeof commands]
    for (const [, option = ''] of rest.matchAll(/ --([a-z][\w-]*)/g))
      assert.ok(option === 'help' || Object.hasOwn(options, option), `${line}: --${option}`)
  }
}

const readers: Record<string, (code: string) => void> = {
  json: code => void JSON.parse(code),
  yaml: code => void parse(code),
  sh: readShell,
  js: code => void stripTypeScriptTypes(code),
  ts: code => void stripTypeScriptTypes(code, { mode: 'transform' }),
  python: code => read('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], code),
}

/** What is not read here, with the reason. */
const exceptions: Record<string, string> = {
  '': 'what a command prints; the guides compare it with what is printed (commands.test.ts)',
  mermaid: 'a drawing',
  html: 'a page around a script; the README of the client is run (test/clients)',
  php: 'it is run where PHP is installed (receivers.test.ts)',
  ruby: 'it is run where Ruby is installed (receivers.test.ts)',
  go: 'it is run where Go is installed (receivers.test.ts)',
}

for (const { file, text, blocks } of pages.filter(page => page.blocks.length > 0))
  test(`the blocks of ${file}`, () => {
    assert.equal(text.match(/^ *```/gm)?.length, blocks.length * 2, 'a block that is not seen')
    for (const { language, code } of blocks) {
      if (Object.hasOwn(exceptions, language)) continue
      const reader = readers[language]
      assert.ok(reader, `nothing reads ${language}`)
      assert.doesNotThrow(() => reader(code), `${language}:\n${code}`)
    }
  })

test('no exception is left over', () => {
  const languages = new Set(pages.flatMap(({ blocks }) => blocks.map(({ language }) => language)))
  assert.deepEqual(
    Object.keys(exceptions).filter(language => !languages.has(language)),
    [],
  )
})

// The tutorial and the how-tos, followed literally: every command is run, and prints what the page shows.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import sharp from 'sharp'
import { type Keepsake, startKeepsake } from '../support/keepsake.ts'
import { assertAlike, follow } from '../support/literally.ts'
import { pages, root } from '../support/markdown.ts'

const skip = spawnSync('curl', ['--version']).error === undefined ? false : 'there is no curl here'

/** The pictures that a page shows, with the file that its commands make of each. */
const shown: Record<string, Record<string, string>> = {
  'docs/tutorial.md': { 'framed.jpg': 'docs/images/framed.jpg' },
  'docs/how-to/strip-of-four.md': { 'strip.jpg': 'docs/images/strip.jpg' },
  'docs/how-to/compositor.md': { 'print.jpg': 'docs/images/print.jpg' },
}

describe('every command of the guides does what the page says', { skip }, () => {
  let keepsake: Keepsake
  before(async () => {
    keepsake = await startKeepsake()
  })
  after(() => keepsake.stop())

  for (const { file, text } of pages.filter(page => /^docs\/(tutorial|metrics|how-to\/)/.test(page.file)))
    test(file, async t => {
      const folder = await follow(t, keepsake, text.replaceAll('http://127.0.0.1:8080', keepsake.url))
      for (const [made, picture] of Object.entries(shown[file] ?? {})) {
        if (process.env.KEEPSAKE_WRITE_DOCS === '1')
          await sharp(join(folder, made))
            .resize(560, 560, { fit: 'inside' })
            .jpeg({ quality: 82 })
            .toFile(root + picture)
        assert.ok(existsSync(root + picture), picture)
        await assertAlike(join(folder, made), root + picture)
      }
    })
})

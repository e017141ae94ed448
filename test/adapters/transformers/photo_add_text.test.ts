// photo_add_text and the setting of text: it fits its box, in many scripts, and is never taken for markup.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { describe, it } from 'node:test'
import { photoAddText } from '#adapters/transformers/photo_add_text.ts'
import type { JsonObject } from '#kit/json.ts'
import type { MediaFile } from '#media/file/file.ts'
import { look, newFolder, png, type Raw, run, scene } from '../../support/pictures.ts'

const black: Raw = { ...scene(400, 300), data: Buffer.alloc(400 * 300 * 3) }

interface Written {
  raw: Raw
  warnings: string[]
  /** The rectangle of everything that was drawn, or null. */
  ink: { left: number; top: number; right: number; bottom: number } | null
}

async function written(options: JsonObject, font?: Buffer): Promise<Written> {
  await using folder = await newFolder()
  const input = await folder.file('in.png', await png(black))
  const assets: Record<string, MediaFile[]> = font ? { font_file_name: [await folder.file('own.ttf', font)] } : {}
  const { output, entries } = await run(folder, input, [{ adapter: photoAddText, options, assets }])
  const raw = await look(output.path)
  return { raw, warnings: entries[0]!.warnings, ink: inkOf(raw) }
}

function inkOf({ data, width, height }: Raw): Written['ink'] {
  const ink = { left: width, top: height, right: -1, bottom: -1 }
  for (let i = 0; i < width * height; i++) {
    if (data[i * 3]! + data[i * 3 + 1]! + data[i * 3 + 2]! < 90) continue
    const [x, y] = [i % width, Math.floor(i / width)]
    ink.left = Math.min(ink.left, x)
    ink.right = Math.max(ink.right, x)
    ink.top = Math.min(ink.top, y)
    ink.bottom = y
  }
  return ink.right < 0 ? null : ink
}

const box = { x: 50, y: 100, width: 300, height: 80 }
const inside = ({ left, top, right, bottom }: NonNullable<Written['ink']>): boolean =>
  left >= 50 && right < 350 && top >= 100 && bottom < 180

describe('photo_add_text', () => {
  it('shrinks to fit its box, however long the text', async () => {
    for (const text of ['Hi', 'Hello there', 'A name of quite some length, as people have them', 'two\nlines']) {
      const { ink, warnings } = await written({ text, ...box, size_min: 4 })
      assert.ok(ink && inside(ink), `${text}: ${JSON.stringify(ink)}`)
      assert.deepEqual(warnings, [])
    }
  })

  it('is never larger than it may be', async () => {
    const { ink } = await written({ text: 'HHH', ...box, size_max: 20 })
    assert.ok(ink && ink.bottom - ink.top < 20)
  })

  it('stands where align and valign say', async () => {
    const { ink: left } = await written({ text: 'Hm', ...box, size_max: 24, align: 'left', valign: 'top' })
    const { ink: right } = await written({ text: 'Hm', ...box, size_max: 24, align: 'right', valign: 'bottom' })
    assert.ok(left && left.left < 54 && left.bottom < 130)
    assert.ok(right && right.right > 345 && right.top > 150)
  })

  it('sets every word on the same foot, with or without letters that reach below it', async () => {
    const [plain, deep] = [
      await written({ text: 'HH', ...box, size_max: 40 }),
      await written({ text: 'Hg', ...box, size_max: 40 }),
    ]
    assert.equal(plain.ink?.top, deep.ink?.top)
    assert.ok(deep.ink!.bottom > plain.ink!.bottom + 3)
  })

  it('wraps into lines, and cuts off with an ellipsis what has no room at all', async () => {
    const text = 'The quick brown fox jumps over the lazy dog'
    const { ink: wrapped } = await written({ text, ...box, size_max: 30, overflow: 'wrap' })
    assert.ok(wrapped && inside(wrapped) && wrapped.bottom - wrapped.top > 35)
    const { ink: cut, warnings: none } = await written({ text, ...box, size_max: 40, overflow: 'ellipsis' })
    assert.ok(cut && inside(cut) && cut.bottom - cut.top < 50)
    assert.deepEqual(none, [])
    const { ink, warnings } = await written({ text: text.repeat(20), ...box, size_min: 20, overflow: 'wrap' })
    assert.ok(ink && inside(ink))
    assert.match(warnings[0] ?? '', /did not fit its box/)
  })

  it('keeps the marks of names, and says when a box is too low for its letters', async () => {
    for (const overflow of ['shrink', 'wrap', 'ellipsis']) {
      const [marked, plain] = [
        await written({ text: 'YỄN', ...box, overflow }),
        await written({ text: 'YÊN', ...box, overflow }),
      ]
      assert.ok(marked.ink && inside(marked.ink))
      const rows = ({ ink }: Written): number => (ink!.bottom - ink!.top) / (ink!.right - ink!.left)
      assert.ok(rows(marked) > 1.1 * rows(plain), 'the tilde stands above the circumflex')
    }
    const { ink, warnings } = await written({ text: 'Peggy', ...box, height: 9 })
    assert.ok(ink && ink.top >= 100 && ink.bottom < 109)
    assert.match(warnings[0] ?? '', /^The box of 300 × 9 pixels is too small for one line of letters of 12 pixels/)
  })

  it('draws markup as the characters it is made of', async () => {
    const [markup, plain] = [
      await written({ text: '<b>&amp;</b>', ...box, size_max: 30 }),
      await written({ text: '&', ...box, size_max: 30 }),
    ]
    assert.ok(markup.ink!.right - markup.ink!.left > 3 * (plain.ink!.right - plain.ink!.left))
    assert.deepEqual((await written({ text: '<span foreground="red"', ...box })).warnings, [])
    assert.ok((await written({ text: '\u0000\u0007\ud800 x', ...box })).ink)
  })

  it('draws other scripts, and emoji in colour, where there are fonts for them', async t => {
    const { raw, warnings } = await written({ text: '🎉❤️', ...box })
    if (warnings.length > 0) return t.skip('no emoji font here')
    const colourful = raw.data.some((value, i) => i % 3 === 0 && Math.abs(value - raw.data[i + 2]!) > 60)
    assert.ok(colourful)
    assert.deepEqual((await written({ text: 'Ünal Żółć Привет Ελλάδα', ...box })).warnings, [])
  })

  it('names the characters that no font has', async () => {
    const { warnings } = await written({ text: 'ok \u{10F900}', ...box })
    assert.match(warnings[0] ?? '', /No font here has “\u{10F900}” \(U\+10F900\)/u)
  })

  it('outlines the letters', async () => {
    const { raw } = await written({ text: 'HH', ...box, color: '#ffffff', stroke: { color: '#ff0000', width: 8 } })
    const count = (r: number, g: number, b: number): number => {
      let found = 0
      for (let i = 0; i < raw.data.length; i += 3)
        if (raw.data[i] === r && raw.data[i + 1] === g && raw.data[i + 2] === b) found++
      return found
    }
    assert.ok(count(255, 255, 255) > 300 && count(255, 0, 0) > 300)
  })

  it('says when a font is not installed, and uses one that is uploaded', async () => {
    assert.match(
      (await written({ text: 'x', ...box, font: 'No Such Font' })).warnings[0] ?? '',
      /"No Such Font" is not installed/,
    )
    const inter = createRequire(import.meta.url).resolve('@expo-google-fonts/inter/900Black/Inter_900Black.ttf')
    const [own, shipped, regular] = [
      await written({ text: 'Own font', ...box }, await readFile(inter)),
      await written({ text: 'Own font', ...box, font: 'Inter Black' }),
      await written({ text: 'Own font', ...box }),
    ]
    assert.deepEqual(own.warnings, [])
    assert.ok(own.raw.data.equals(shipped.raw.data))
    assert.ok(!own.raw.data.equals(regular.raw.data))
    await assert.rejects(written({ text: 'x', ...box }, Buffer.from('not a font at all')), {
      code: 'unsupported_format',
    })
  })

  it('leaves the picture alone when there is nothing to write', async () => {
    assert.ok((await written({ text: '  ' })).raw.data.equals(black.data))
  })
})

// The setting of text: whatever it is, all of its ink lies inside its box, or a warning says what does not.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Pixels } from '#media/pixels/pixels.ts'
import { type DrawnText, drawText, type TextStyle } from '#media/text/draw-text.ts'
import { overflows } from '#media/text/text-layout.ts'
import { outlineOf } from '#media/text/text-outline.ts'

const style: TextStyle = {
  font: 'Inter Bold',
  fontFile: null,
  sizeMax: 110,
  sizeMin: 12,
  overflow: 'shrink',
  colour: [255, 255, 255, 255],
  stroke: null,
  align: 'center',
  valign: 'middle',
}

const draw = (text: string, width: number, height: number, given: Partial<TextStyle> = {}): Promise<DrawnText> =>
  drawText(text, { width, height }, { ...style, sizeMax: height, ...given })

interface Ink {
  left: number
  top: number
  right: number
  bottom: number
  /** What lies inside, row by row. */
  data: Buffer
}

function inkOf({ data, width, height }: Pixels): Ink | null {
  const ink = { left: width, top: height, right: -1, bottom: -1 }
  for (let y = 0; y < height; y++)
    for (let x = 0, at = y * width * 4 + 3; x < width; x++, at += 4) {
      if (data[at] === 0) continue
      if (x < ink.left) ink.left = x
      if (x > ink.right) ink.right = x
      if (ink.bottom < 0) ink.top = y
      ink.bottom = y
    }
  if (ink.right < 0) return null
  const rows: Buffer[] = []
  for (let y = ink.top; y <= ink.bottom; y++)
    rows.push(data.subarray((y * width + ink.left) * 4, (y * width + ink.right + 1) * 4))
  return { ...ink, data: Buffer.concat(rows) }
}

/** The same lines at the same size in a box where nothing can be cut. */
async function whole({ lines, size }: DrawnText, given: Partial<TextStyle>, width: number): Promise<Ink | null> {
  const generous = { ...given, sizeMax: size, sizeMin: size, overflow: 'shrink' as const }
  const { pixels, warnings } = await draw(
    lines.join('\n'),
    width * 2 + 200,
    Math.ceil(lines.length * size * 3) + 40,
    generous,
  )
  assert.deepEqual(warnings, [])
  return inkOf(pixels)
}

async function isWhole(text: string, width: number, height: number, given: Partial<TextStyle> = {}): Promise<void> {
  const drawn = await draw(text, width, height, given)
  const [seen, all] = [inkOf(drawn.pixels), await whole(drawn, given, width)]
  assert.ok(seen && all && seen.data.equals(all.data), `${text} in ${width} × ${height}, ${JSON.stringify(given)}`)
}

/** Letters with marks, and pictures where a font here has any. */
const hasEmoji = (await draw('🎉', 100, 50)).warnings.length === 0
const isDrawn = (text: string): boolean => hasEmoji || !/\p{Extended_Pictographic}/u.test(text)

const marked = ['NGUYỄN', 'ẤM', 'Åsa', 'Ẫgỵ Ộp', 'Hiền Ẩn\nẪm Ợj', 'Ĝ̃ȷ̈ 🎉', 'ÅÅÅ\nÅÅÅ\nÅÅÅ'].filter(isDrawn)

const names =
  `Nguyễn Thị Minh Khai é ë z̈|Zoë Featherstonehaugh|Anna 🎉 Karenina 🎉 Smith|Łukasz Żółtowski|Åsa Öberg|Jeff
Björk Guðmundsdóttir|João Gonçalves|Jeffrey Fjordfluff|Ẫm Ẩn|Siobhán Ní Dhomhnaill|Wolfgang Jägermeister|O’Brien-Jones
Jürgen von der Lippe|François Lefèvre|Ángel Núñez Ibáñez|Đặng Thị Ngọc Ánh|Vũ Ngọc Phượng|Mary-Kate Fitzgerald|Yuki
Krzysztof Brzęczyszczykiewicz|İbrahim Çağlar|Şule Yıldız Öztürk|Ștefan Țurcanu|Dvořák & Řehoř|Ólafur Ragnar Grímsson
Aleksandr Солженицын|Ελευθέριος Βενιζέλος|Наташа Ёлкина|Trần Quốc Toản|Lê Thị Hồng Gấm|Phạm Ngũ Lão|Jo|W|f|Ĵ
Tom & Jerry 🎂|❤️ Ben ❤️|Anna + Ben = ❤️|Mr. J. J. Johnson III|Fifi Trixibelle|Wyatt Twombly|JJ Abrams Jr.|Æthelred Þór
Kjartan Øvergård|Ünal Żółć|Bùi Thị Xuân|Võ Thị Sáu|Ngô Quyền ẨẪẤ|Maximilian Alexander Featherstone-Haugh the Third|Ỹ Ỷ`
    .split(/[|\n]/)
    .filter(isDrawn)

describe('the outline of letters', () => {
  it('reaches as far as it may from all ink, wherever that lies, and no further', () => {
    const [width, height] = [40, 30]
    const inks: [x: number, y: number, alpha: number][][] = [
      [],
      [[20, 15, 255]],
      [
        [0, 0, 90],
        [39, 29, 255],
        [7, 20, 30],
      ],
    ]
    for (const ink of inks)
      for (const reach of [0.4, 3.2, 60]) {
        const data = Buffer.alloc(width * height * 4)
        for (const [x, y, alpha] of ink) data[(y * width + x) * 4 + 3] = alpha
        const out = outlineOf({ data, width, height, channels: 4, depth: 8 }, reach, [10, 20, 30, 255])
        for (let i = 0; i < width * height; i++) {
          const [x, y] = [i % width, Math.floor(i / width)]
          const far = ink.map(([left, top, alpha]) => Math.hypot(x - left, y - top, Math.max(0, 0.5 - alpha / 255)))
          const alpha = Math.min(Math.max(reach + 0.5 - Math.min(...far), 0), 1) * 255
          const seen = [...out.data.subarray(i * 4, i * 4 + 4)]
          assert.ok(Math.abs(seen[3]! - alpha) <= 1, `${x}, ${y} at ${reach}: ${seen}, not ${alpha}`)
          if (alpha > 1) assert.deepEqual(seen.slice(0, 3), [10, 20, 30])
        }
      }
  })
})

describe('the setting of text', () => {
  it('keeps every mark of a name, however what is too long is treated', async () => {
    for (const overflow of overflows) {
      for (const text of marked) {
        for (const given of [{ sizeMax: 110 }, { sizeMax: 40 }, { sizeMax: 110, sizeMin: 60 }])
          for (const valign of ['top', 'bottom'] as const) await isWhole(text, 820, 110, { ...given, overflow, valign })
        await isWhole(text, 240, 150, { overflow, valign: 'top' })
      }
    }
  })

  it('loses no pixel of a name at the edges of its box', async () => {
    for (const name of names) {
      for (const [width, height] of [
        [300, 100],
        [240, 60],
      ] as const)
        for (const overflow of overflows) await isWhole(name, width, height, { overflow, valign: 'top' })
    }
  })

  it('keeps the outline inside the box too, of whatever width', async () => {
    for (const width of [1, 3, 5.2, 8])
      for (const text of ['Ẫgỵ', 'Zoë Featherstonehaugh'])
        for (const align of ['left', 'center', 'right'] as const)
          await isWhole(text, 300, 100, { align, valign: 'top', stroke: { colour: [255, 0, 0, 255], width } })
    const { warnings } = await draw('Anna', 300, 60, { stroke: { colour: [255, 0, 0, 255], width: 90 } })
    assert.match(warnings[0] ?? '', /outline of 90 pixels is too wide .* made 40\.0 pixels/)
  })

  it('sets lines further apart where a mark would touch the line above', async () => {
    const rows = async (text: string): Promise<number> => {
      const { top, bottom } = inkOf((await draw(text, 400, 400, { sizeMax: 60, valign: 'top' })).pixels)!
      return bottom - top
    }
    assert.ok((await rows('jg\nẪ')) > (await rows('jg\nA')))
  })

  it('makes letters smaller than they may be in a box lower than a line of them, and says so', async () => {
    for (const overflow of overflows) {
      const given = { overflow, sizeMax: 12, valign: 'top' } as const
      await isWhole('Peggy', 300, 9, given)
      const { size, warnings } = await draw('Peggy', 300, 9, given)
      assert.ok(size < 12)
      assert.deepEqual(warnings, [
        'The box of 300 × 9 pixels is too small for one line of letters of 12 pixels (size_min), so they are smaller than that.',
      ])
      const { size: enough, warnings: none } = await draw('Peggy', 300, 13, given)
      assert.deepEqual([enough, none], [12, []])
    }
  })

  it('cuts off with an ellipsis and a warning what does not fit in the smallest size', async () => {
    for (const overflow of ['shrink', 'wrap'] as const) {
      const { lines, size, warnings } = await draw('Ẫ very long name of many words', 100, 30, { overflow, sizeMin: 20 })
      assert.equal(size, 20)
      assert.match(lines.at(-1)!, /…$/)
      assert.match(warnings[0] ?? '', /did not fit its box/)
    }
  })

  it('draws a line of thousands of letters, and one without any', async () => {
    const { lines, warnings } = await draw('x'.repeat(5000), 300, 100)
    assert.match(lines[0]!, /^x{10,}…$/)
    assert.equal(warnings.length, 1)
    for (const text of ['\u200b', '\u200d\u2060', 'a\u2028b'])
      assert.deepEqual((await draw(text, 300, 100)).warnings, [])
    assert.deepEqual((await draw('a\u2028b', 300, 100)).lines, ['a', 'b'])
  })

  it('names every character that no font has, and says how many more there are', async () => {
    const unknown = (count: number): string =>
      Array.from({ length: count }, (_, i) => String.fromCodePoint(0x10f900 + i)).join('')
    const [some, many] = [await draw(unknown(30), 300, 100), await draw(unknown(75), 300, 100)]
    assert.equal(some.warnings[0]?.match(/U\+10F9/g)?.length, 30)
    assert.match(some.warnings[0]!, /\(U\+10F91D\); install/)
    assert.equal(many.warnings[0]?.match(/U\+10F9/g)?.length, 60)
    assert.match(many.warnings[0]!, / and 15 more; install/)
  })
})

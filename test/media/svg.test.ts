// SVG assets stand for themselves: nothing outside is read, and what would is refused.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { photoAddOverlay } from '#adapters/transformers/photo_add_overlay.ts'
import { look, newFolder, png, run, scene } from '../support/pictures.ts'

const svg = (inside: string, head = ''): string =>
  `${head}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="40" height="30">${inside}</svg>`

const reaching = {
  'a file': '<image href="file:///etc/passwd" width="9" height="9"/>',
  'a neighbour': '<image xlink:href="secret.png" width="9" height="9"/>',
  'an address': '<image href="https://example.com/x.png" width="9" height="9"/>',
  'an include': '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="secret.txt" parse="text"/>',
  'a style sheet': '<style>@import url("x.css");</style>',
  'a fill': '<rect width="9" height="9" fill="url(other.svg#a)"/>',
  'a script': '<script>1</script>',
  'a link without quotes': '<image href=secret.png width="9" height="9"/>',
}

describe('SVG assets', () => {
  for (const [what, inside] of Object.entries(reaching)) {
    it(`that reach for ${what} are refused`, async () => {
      await using folder = await newFolder()
      await assert.rejects(folder.file('bad.svg', svg(inside)), { code: 'policy_blocked' })
    })
  }

  it('with entities or a style sheet of their own are refused', async () => {
    await using folder = await newFolder()
    const entity = '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    await assert.rejects(folder.file('entity.svg', svg('<text>&x;</text>', entity)), { code: 'policy_blocked' })
    await assert.rejects(folder.file('sheet.svg', svg('', '<?xml version="1.0"?><?xml-stylesheet href="x.css"?>')), {
      code: /policy_blocked|unsupported_format/,
    })
  })

  it('that refer to themselves or carry their pictures with them are drawn, sharp at any size', async () => {
    await using folder = await newFolder()
    const inside =
      '<defs><linearGradient id="g"><stop stop-color="#f00"/></linearGradient></defs><rect width="20" height="30" fill="url(#g)"/>'
    const overlay = await folder.file('good.svg', svg(inside))
    const input = await folder.file('in.png', await png(scene(400, 300)))
    const { output } = await run(folder, input, [
      { adapter: photoAddOverlay, options: {}, assets: { overlay_file_name: [overlay] } },
    ])
    const { data, width } = await look(output.path)
    assert.deepEqual([...data.subarray((150 * width + 198) * 3, (150 * width + 199) * 3)], [255, 0, 0])
    assert.notDeepEqual([...data.subarray((150 * width + 202) * 3, (150 * width + 203) * 3)], [255, 0, 0])
  })
})

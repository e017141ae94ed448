// Templates: what they may hold, how mistakes in them are told, and how options lie over them.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { photoCompositor } from '#adapters/transformers/photo_compositor.ts'
import type { OptionsTemplate } from '#engine/adapter.ts'
import { overTemplate, parseTemplate } from '#engine/template.ts'
import { isProblem } from '#kit/errors.ts'

const parsed = (text: string) =>
  parseTemplate(photoCompositor, photoCompositor.template as OptionsTemplate, 'The asset "card"', text)

function refused(template: unknown): string {
  try {
    parsed(typeof template === 'string' ? template : JSON.stringify(template))
  } catch (error) {
    if (isProblem(error, 'bad_options'))
      return error.message.replace(/^The asset "card" is no template for photo_compositor: /, '')
    throw error
  }
  return 'taken'
}

describe('templates', () => {
  it('hold options, which may leave out what has a default', () => {
    const template = { canvas: { width: 80, height: 60 }, layers: [{ type: 'photo' }] }
    assert.deepEqual(parsed(JSON.stringify(template)), template)
    assert.deepEqual(parsed('{}'), {})
  })

  it('are refused in plain sentences', () => {
    assert.equal(refused('{"layers": ['), 'it is not valid JSON.')
    assert.match(
      refused('{"width": 5, "layers": [{"type": "text", "x": 1e999}]}'),
      /^layers\[0\]\.x is a number that cannot be kept/,
    )
    assert.equal(refused([1, 2]), 'it must be a JSON object with canvas and layers.')
    assert.equal(refused({ context: {} }), 'context is not known here; known are canvas, layers.')
    assert.equal(
      refused({ layers: [{ type: 'photoo' }] }),
      'layers[0].type must be one of "photo", "image", "text", "qr", "shape", not "photoo".',
    )
    assert.equal(
      refused({ canvas: { width: 9, height: 9, background: 'red' } }),
      'canvas.background must be a colour like #rgb, #rrggbb or #rrggbbaa, not "red".',
    )
    assert.equal(
      refused({ layers: [{ type: 'image' }] }),
      'layers[0].asset is required: it is what an image layer shows.',
    )
    assert.equal(refused(`{"layers":${'['.repeat(5000)}${']'.repeat(5000)}}`), 'it is nested too deeply.')
  })

  it('may leave a value to a placeholder, and an asset to whoever uses them', () => {
    assert.equal(refused({ layers: [{ type: 'shape', color: '{{brand}}' }] }), 'taken')
    assert.equal(refused({ layers: [{ type: 'image', name: 'badge' }] }), 'taken')
  })

  it('lie below the options that are set', () => {
    const template = { canvas: { width: 80, height: 60, background: '#000000' }, layers: [{ type: 'photo' }] }
    assert.deepEqual(overTemplate(template, { canvas: null, layers: [], format: null }), { ...template, format: null })
    assert.deepEqual(overTemplate(template, { canvas: { width: 120, height: 60 }, layers: [{ type: 'text' }] }), {
      canvas: { width: 120, height: 60, background: '#000000' },
      layers: [{ type: 'text' }],
    })
  })
})

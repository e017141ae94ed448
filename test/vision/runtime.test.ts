// The models: loaded only by who asks, only as they were tried, inside the jail too; and what is left where they are missing.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { segmentWork, visionCheckWork } from '#engine/children/child-work.ts'
import { isProblem } from '#kit/errors.ts'
import { newPool } from '#media/process/pool.ts'
import { checkPin, isLoaded, missingParts, runModel, visionOff } from '#vision/runtime.ts'
import { cleanUp } from '../support/clean-up.ts'
import { root } from '../support/markdown.ts'
import { drawnPeople } from '../support/people.ts'
import { limits, newFolder, noTools } from '../support/pictures.ts'
import { jailed, jailedRoom } from '../support/rooms.ts'

const run = promisify(execFile)

describe('the vision runtime', () => {
  it('is loaded by the first look and leaves nothing behind in the global scope', async () => {
    await import('#adapters/transformers.ts')
    assert.equal(isLoaded(), false)
    assert.deepEqual(missingParts(), [])
    assert.equal(visionOff(), null)
    const before = Object.keys(globalThis)
    const [boxes, scores] = await runModel('faces', new Float32Array(192 * 192 * 3))
    assert.deepEqual([boxes?.length, scores?.length], [48 * 48 * 16, 48 * 48])
    assert.equal(isLoaded(), true)
    assert.deepEqual(Object.keys(globalThis), before)
    assert.equal('self' in globalThis || 'importScripts' in globalThis || 'ModuleFactory' in globalThis, false)
  })

  it('takes no other weights than those it was tried with', () => {
    const path = `${root}node_modules/@mediapipe/selfie_segmentation/selfie_segmentation.tflite`
    const bytes = readFileSync(path)
    assert.equal(checkPin('people', bytes), bytes)
    const other = Buffer.from(bytes)
    other[1000] = (other[1000]! + 1) % 256
    assert.throws(() => checkPin('people', other), isTooled)
  })

  it('where a package is missing, one line says so, crops fall back and the rest goes on', async () => {
    const hide = `import Module from 'node:module'
      const { _resolveFilename } = Module
      Module._resolveFilename = function (name, ...rest) {
        if (name.startsWith('@litertjs/')) throw Object.assign(new Error('hidden'), { code: 'MODULE_NOT_FOUND' })
        return _resolveFilename.call(this, name, ...rest)
      }`
    const code = `import { runModel, visionOff } from '#vision/runtime.ts'
      import { photoCrop } from '#adapters/transformers/photo_crop.ts'
      import { newFolder, png, run, scene } from './test/support/pictures.ts'
      const problem = await runModel('faces', new Float32Array(0)).catch(error => error.code)
      await using folder = await newFolder()
      const input = await folder.file('in.png', await png(scene(200, 100)))
      const cut = await run(folder, input, [{ adapter: photoCrop, options: { aspect: '1:1', gravity: 'faces' } }])
      console.log(JSON.stringify([visionOff(), problem, cut.output.width, cut.entries[0].warnings]))`
    const preload = `data:text/javascript,${encodeURIComponent(hide)}`
    const { stdout } = await run(process.execPath, ['--import', preload, '--input-type=module', '-e', code], {
      cwd: root,
    })
    const off = '@litertjs/core is not installed: adapters that look for people are off'
    assert.deepEqual(JSON.parse(stdout), [off, 'tool_missing', 100, [`${off}; \`attention\` decided what is kept.`]])
  })
})

const isTooled = (error: unknown): boolean => isProblem(error, 'tool_missing')

describe('in a jailed media child', () => {
  const script = fileURLToPath(new URL('../../src/child.ts', import.meta.url))
  const pool = newPool({ script, newRoom: jailedRoom, jailed, size: 1 })
  after(() => cleanUp(() => pool.drain()))

  it('people are found', async () => {
    assert.match(await pool.run(visionCheckWork()), /^People are found: the models saw a drawn one, in \d+ ms\.$/)
  })

  it('a crop keeps the face and tells its box', async () => {
    await using folder = await newFolder()
    const input = await folder.file('in.png', await drawnPeople(1200, 400, [{ left: 850, top: 60, side: 300 }]))
    const options = { x: null, y: null, width: null, height: null, aspect: '1:1', gravity: 'faces' }
    const entry = { index: 0, adapter: 'photo_crop', options, assets: {}, context: {} }
    const result = await pool.run(
      segmentWork({
        kind: 'segment',
        form: 'image',
        input,
        entries: [entry],
        folder: await folder.empty(),
        limits,
        tools: noTools,
        threads: 1,
      }),
    )
    const [report] = result.entries
    assert.deepEqual(report?.decisions[0], 'Found one face.')
    const [seen] = report?.seen ?? []
    assert.deepEqual([seen?.width, seen?.height, seen?.faces.length], [1200, 400, 1])
    const [face] = seen!.faces
    assert.ok(Math.abs(face!.left + face!.width / 2 - 1000) < 15, JSON.stringify(face))
    assert.deepEqual([result.output.width, result.output.height], [400, 400])
  })
})

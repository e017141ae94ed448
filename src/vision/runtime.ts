// Runs the pinned models in WebAssembly, inside the process that asks first; nothing is loaded before, and nothing is fetched.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { compileFunction } from 'node:vm'
import { Problem } from '#kit/errors.ts'

/** Files of optional packages, each by its place and its SHA-256, or the bytes of one that holds several. The same files serve every kind of processor. */
const files = {
  library: ['@litertjs/core', 'dist/index.js', 'e7daccc3a31eef890848a737ccb863ded5f046a6b40c3fdc0556495adeb5d9b3'],
  loader: [
    '@litertjs/core',
    'wasm/litert_wasm_internal.js',
    '68efb69f770e3f76aff36a377de629ca496c131b86ac0f0f4b592a1543a898eb',
  ],
  wasm: [
    '@litertjs/core',
    'wasm/litert_wasm_internal.wasm',
    '7280cf4471774867e385e6c3cd53e2b45e2975b80fea338fff4ef359b0865614',
  ],
  faces: [
    '@mediapipe/face_detection',
    'face_detection_full_range.tflite',
    '99bf9494d84f50acc6617d89873f71bf6635a841ea699c17cb3377f9507cfec3',
  ],
  points: [
    '@mediapipe/face_mesh',
    'face_mesh_solution_packed_assets.data',
    'c603fa6149219a3e9487dc9abd7a0c24474c77263273d24868378cdf40aa26d1',
    [2_495_952, 3_737_848],
  ],
  people: [
    '@mediapipe/selfie_segmentation',
    'selfie_segmentation.tflite',
    '8d13b7fae74af625c641226813616a2117bd6bca19eb3b75574621fc08557f27',
  ],
} as const

type Part = keyof typeof files

/** `faces` finds boxes in 192 × 192 pixels, `people` tells people from the rest in 256 × 256, `points` finds the features of one face in 192 × 192. */
type ModelName = 'faces' | 'people' | 'points'

const sides: Record<ModelName, number> = { faces: 192, people: 256, points: 192 }

interface Tensor {
  data(): Promise<Float32Array>
  delete(): void
}

interface Model {
  run(input: Tensor): Promise<Tensor[]>
}

/** What is used of `@litertjs/core`. */
interface Library {
  loadLiteRt(loader: string): Promise<unknown>
  loadAndCompile(model: Uint8Array, options: { accelerator: 'wasm' }): Promise<Model>
  Tensor: new (data: Float32Array, shape: readonly number[]) => Tensor
}

/** The names of the packages that are not installed. Looks at the disk, loads nothing. */
export const missingParts = (): string[] => [
  ...new Set((Object.keys(files) as Part[]).filter(part => !isThere(part)).map(part => files[part][0])),
]

/** What the lack of them means, in one sentence, or null. */
export function visionOff(): string | null {
  const missing = missingParts()
  if (missing.length === 0) return null
  return `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not installed: adapters that look for people are off`
}

/**
 * How much of a function is run before V8 optimizes it. Its own 13,000,000 is reached by hundreds that run only while a model is
 * loaded. With this the first look takes 0.7 instead of 2 s, and a child holds 67 to 96 MiB more instead of 110 to 133.
 */
const HOT = 120_000_000

let library: Promise<Library> | null = null

/** Whether this process has loaded anything. */
export const isLoaded = (): boolean => library !== null
const models = new Map<ModelName, Promise<Model>>()

/** Runs a model on one picture: three channels for each pixel, as the model wants them. Returns its outputs in their order. */
export async function runModel(name: ModelName, input: Float32Array): Promise<Float32Array[]> {
  const off = visionOff()
  if (off !== null) throw new Problem('tool_missing', `${off}.`)
  const { Tensor, model } = await ready(name)
  const side = sides[name]
  const tensor = new Tensor(input, [1, side, side, 3])
  try {
    const outputs = await model.run(tensor)
    const values: Float32Array[] = []
    for (const output of outputs) {
      values.push(await output.data())
      output.delete()
    }
    return values
  } finally {
    tensor.delete()
  }
}

async function ready(name: ModelName): Promise<{ Tensor: Library['Tensor']; model: Model }> {
  library ??= load()
  const loaded = await library.catch(error => {
    library = null
    throw error
  })
  const model = models.get(name) ?? loaded.loadAndCompile(new Uint8Array(pinned(name)), { accelerator: 'wasm' })
  models.set(name, model)
  return { Tensor: loaded.Tensor, model: await model }
}

/**
 * The library is made for browsers: it wants `self` and `importScripts`, looks for a GPU and warns that there is none. All of this
 * is lent to it while it loads.
 */
async function load(): Promise<Library> {
  pinned('library')
  const loader = pathOf('loader')
  const code = pinned('loader').toString('utf8')
  setFlagsFromString(`--wasm-tiering-budget=${HOT}`)
  // Given as what was checked; the loader would read the file a second time and hold on to its bytes.
  const wasm = await WebAssembly.compile(pinned('wasm'))
  const instantiateWasm = (imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void): object => {
    done(new WebAssembly.Instance(wasm, imports))
    return {}
  }
  const lent: Record<string, unknown> = {
    self: globalThis,
    importScripts() {
      const make = compileFunction(`${code};return ModuleFactory`, ['require', '__filename', '__dirname'])
      Object.assign(globalThis, { ModuleFactory: make(createRequire(loader), loader, dirname(loader)) })
    },
    Module: { print() {}, printErr() {}, instantiateWasm },
    ModuleFactory: undefined,
  }
  const { warn } = console
  Object.assign(globalThis, lent)
  console.warn = () => {}
  try {
    const library = (await import(pathToFileURL(pathOf('library')).href)) as Library
    await library.loadLiteRt(loader)
    return library
  } finally {
    console.warn = warn
    for (const name of Object.keys(lent)) Reflect.deleteProperty(globalThis, name)
  }
}

const require = createRequire(import.meta.url)

function isThere(part: Part): boolean {
  try {
    return existsSync(pathOf(part))
  } catch {
    return false
  }
}

/** Throws where the package is not installed. */
const pathOf = (part: Part): string => join(dirname(require.resolve(`${files[part][0]}/package.json`)), files[part][1])

const pinned = (part: Part): NonSharedBuffer =>
  checkPin(part, readFileSync(pathOf(part)).subarray(...(files[part][3] ?? [])))

/** Refuses bytes that are not those that Keepsake was tried with. */
export function checkPin<B extends Buffer>(part: Part, bytes: B): B {
  const [name, file, sha256] = files[part]
  if (createHash('sha256').update(bytes).digest('hex') === sha256) return bytes
  throw new Problem(
    'tool_missing',
    `${file} of ${name} is another one than Keepsake was tried with, so it is not used.`,
  )
}

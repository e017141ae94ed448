// Holds the code against the rules of who may import whom, and of who owns which tool.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))

const nouns = ['access', 'configurations', 'assets', 'profiles', 'activities', 'callbacks', 'uploads', 'guests']
const noun = ['db', 'queue', 'storage', 'engine', 'kit']

/** Folder by folder what it may import besides itself. */
const table: Record<string, string[]> = {
  kit: [],
  media: ['kit'],
  db: ['kit'],
  postgres: ['kit'],
  queue: ['db', 'kit'], // A job is queued in the transaction that writes its task.
  storage: ['kit'],
  engine: ['media', 'kit'],
  vision: ['media', 'kit'],
  adapters: ['vision', 'engine', 'media', 'kit'],
  authoring: ['adapters', 'engine', 'media', 'kit'], // What others may import of all of these.
  ...Object.fromEntries(nouns.map(name => [name, noun])),
  apply: ['access', 'assets', 'configurations', ...noun], // Several nouns in one transaction.
  tasks: [...nouns, ...noun],
  erasures: ['tasks', ...nouns, ...noun], // All that is left of a person, wherever it lies.
  http: ['tasks', 'erasures', 'apply', ...nouns, 'kit'],
  worker: ['tasks', 'erasures', ...nouns, 'db', 'queue', 'storage', 'kit'], // It also keeps house: rows, folders and files past their time.
  backups: ['db', 'storage', 'kit'],
  supervisor: ['postgres', 'db', 'kit'],
  commands: [
    'client',
    'app.ts',
    'http',
    'tasks',
    'erasures',
    'apply',
    'backups',
    ...nouns,
    'adapters',
    'postgres',
    'media',
    'vision',
    ...noun,
  ], // Each puts together what it needs, as main does.
}

/** Room by room of a folder, from the ground up, which of its rooms it may import; `.` are the files outside of rooms. */
const rooms: Record<string, Record<string, string[]>> = {
  media: {
    file: [],
    process: ['file'],
    pixels: ['file'],
    text: ['file', 'pixels'],
    picture: ['file', 'process', 'pixels'],
    probe: ['file', 'process', 'picture'],
    graph: ['file', 'process', 'pixels', 'picture', 'probe'],
    make: ['file', 'process', 'pixels', 'picture', 'probe', 'graph'],
  },
  db: {
    tables: [],
    '.': ['tables'],
    nouns: ['.'],
    tasks: ['.', 'nouns'],
    now: ['.'],
    guests: ['.', 'nouns', 'tasks'],
    erasures: ['tables', '.', 'nouns'],
    copies: ['.'],
  },
  engine: { '.': [], children: ['.'] },
  adapters: {
    shared: [],
    delivery: [],
    transformers: ['shared'],
    printing: ['delivery'],
    destinations: ['delivery', 'printing'],
    '.': ['transformers', 'destinations'],
  },
  tasks: {
    '.': [],
    entry: ['.'],
    accept: ['.', 'entry'],
    end: ['.', 'entry'],
    run: ['.', 'entry', 'end'],
    steer: ['.', 'entry', 'accept', 'end', 'run'],
    try: ['.', 'entry', 'accept'],
    show: ['.'],
  },
  http: {
    contract: [],
    route: ['contract'],
    wire: ['contract', 'route'],
    hooks: ['contract', 'route', 'wire'],
    tasks: ['contract', 'route', 'wire', 'hooks'],
    resources: ['contract', 'route', 'wire', 'hooks', 'tasks'],
    operations: ['contract', 'route', 'wire', 'hooks'],
    site: ['contract', 'route', 'wire', 'hooks'],
    guest: ['contract', 'route', 'wire', 'hooks'],
    wall: ['contract', 'route', 'wire', 'hooks', 'guest'],
    '.': ['route', 'wire', 'hooks', 'tasks', 'resources', 'operations', 'site', 'guest', 'wall'],
  },
  commands: { '.': [], remote: ['.'] },
  kit: { '.': [], process: ['.'], net: ['.'], secret: ['.'], guest: ['.'], telemetry: ['.'] },
}

/** What may be named in types although it may not be called: the services that app.ts hands over. */
const typesOnly: Record<string, string[]> = {
  http: ['db', 'engine', 'media', 'queue', 'storage'],
  worker: ['engine'],
}

/** The HTTP side may call what only reads rows, by the beginning of its name; all else goes through the nouns and tasks. */
const reads = { folder: 'http', from: 'db', name: /^(list|read|whole)[A-Z]|^type / }

/** Single lines that the table would forbid, each for a reason. */
const exceptions = new Set([
  'src/http/resources/adapter-routes.ts -> #engine/adapter.ts', // Adapters are one of the resources.
  'src/http/hooks/problem-answer.ts -> #db/database.ts', // Tells a lost connection (503) from a bug (500).
])

/** Packages and the only places that may load them. */
const owners: Record<string, string[]> = {
  sharp: ['src/media/'],
  kysely: ['src/db/'],
  pg: ['src/db/'],
  'pg-boss': ['src/queue/'],
  'node:child_process': ['src/media/', 'src/postgres/', 'src/supervisor/'],
  undici: ['src/kit/'],
  'node:http': ['src/kit/'],
  'node:https': ['src/kit/'],
  'node:http2': ['src/kit/'],
  'node:tls': ['src/kit/'],
}

interface Import {
  file: string
  folder: string
  from: string
  onlyTypes: boolean
  /** What is imported, as it is written. */
  names: string[]
}

const sources = globSync(['src/**/*.ts', 'console/src/**/*.{ts,tsx}'], { cwd: root }).filter(
  file => !file.endsWith('.d.ts'),
)
const text = (file: string): string => readFileSync(root + file, 'utf8')
const code = (file: string): string => text(file).replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')

function importsOf(file: string): Import[] {
  const folder = /^src\/([^/]+)\//.exec(file)?.[1] ?? ''
  const statements = code(file).matchAll(
    /(?:import|export)\s+(type\s)?([^'"();]*?)\s*from\s*'([^']+)'|import\s*\(?\s*'([^']+)'/g,
  )
  return [...statements].map(([, type, names = '', from, bare]) => ({
    file,
    folder,
    from: from ?? bare ?? '',
    onlyTypes: type !== undefined || isAllTypes(names),
    names: /^\{([\s\S]*)\}$/
      .exec(names.trim())?.[1]
      ?.split(',')
      .map(each => each.trim())
      .filter(Boolean) ?? ['*'],
  }))
}

const isAllTypes = (names: string): boolean => /^\{(\s*type\s[^,}]+,?)+\s*\}$/.test(names.trim())

const imports = sources.flatMap(importsOf)
const ours = imports.filter(({ file }) => file.startsWith('src/'))
const line = ({ file, from }: Import): string => `${file} -> ${from}`

test('every folder of src has its row in the table', () => {
  const folders = new Set(ours.map(({ folder }) => folder).filter(folder => folder !== ''))
  assert.deepEqual(
    [...folders].filter(folder => !Object.hasOwn(table, folder)),
    [],
  )
})

test('a folder imports only what its row allows', () => {
  const wrong = ours.filter(({ file, folder, from, onlyTypes, names }) => {
    if (folder === '' || !from.startsWith('#')) return false
    const target = from.slice(1).split('/')[0] ?? ''
    if (folder === reads.folder && target === reads.from && names.every(name => reads.name.test(name))) return false
    const allowed = [folder, ...(table[folder] ?? []), ...(onlyTypes ? (typesOnly[folder] ?? []) : [])]
    return !allowed.includes(target) && !exceptions.has(`${file} -> ${from}`)
  })
  assert.deepEqual(wrong.map(line), [])
})

test('a room imports only what its row allows', () => {
  const roomOf = (file: string, folder: string): string => {
    const [first = '', ...more] = file.slice(`src/${folder}/`.length).split('/')
    return more.length > 0 ? first : '.'
  }
  const wrong = ours.filter(({ file, folder, from }) => {
    const path = new URL(from, `file:///${file}`).pathname.slice(1)
    if (!from.startsWith('.') || !path.startsWith(`src/${folder}/`) || folder === '') return false
    const [here, there] = [roomOf(file, folder), roomOf(path, folder)]
    return here !== there && !rooms[folder]?.[here]?.includes(there)
  })
  assert.deepEqual(wrong.map(line), [])
})

test('a folder holds a number of files that can be looked over', () => {
  // Each of these is one kind, and each file of it stands for itself.
  const alike = ['src/adapters/transformers']
  const counts = Map.groupBy(sources, file => file.slice(0, file.lastIndexOf('/')))
  const full = [...counts].filter(([folder, files]) => files.length > 21 && !alike.includes(folder))
  assert.deepEqual(
    full.map(([folder, files]) => `${folder}: ${files.length}`),
    [],
  )
})

test('no two files have the same name', () => {
  const names = Map.groupBy(
    sources.filter(file => file.startsWith('src/')),
    file => file.slice(file.lastIndexOf('/') + 1),
  )
  assert.deepEqual(
    [...names.values()].filter(files => files.length > 1),
    [],
  )
})

test('crossing a folder is written with a #, staying inside with a dot', () => {
  const wrong = ours.filter(({ file, folder, from }) => {
    if (from.startsWith('#')) return folder !== '' && from.startsWith(`#${folder}/`)
    if (!from.startsWith('.')) return false
    const path = new URL(from, `file:///${file}`).pathname.slice(1)
    return folder !== '' && !path.startsWith(`src/${folder}/`)
  })
  assert.deepEqual(wrong.map(line), [])
})

test('an import names a file that exists, with its ending', () => {
  const wrong = imports.filter(({ file, from }) => {
    if (from.startsWith('#client/')) return !existsSync(`${root}client/src/${from.slice(8)}`)
    if (from.startsWith('#')) return !existsSync(`${root}src/${from.slice(1)}`)
    return (
      from.startsWith('.') &&
      !existsSync(root + decodeURI(new URL(from.replace(/\?.*$/, ''), `file:///${file}`).pathname.slice(1)))
    )
  })
  assert.deepEqual(wrong.map(line), [])
})

test('no adapter imports another adapter', () => {
  const adapter = /^src\/adapters\/(transformers|destinations)\/[^/]+\.ts$/
  const wrong = ours.filter(({ file, from }) => {
    if (!adapter.test(file) || !from.startsWith('.')) return false
    return adapter.test(new URL(from, `file:///${file}`).pathname.slice(1))
  })
  assert.deepEqual(wrong.map(line), [])
})

for (const [name, folders] of Object.entries(owners)) {
  test(`${name} is loaded only in ${folders.join(', ')}`, () => {
    const wrong = ours.filter(({ file, from, onlyTypes }) => {
      const loads = from === name || from.startsWith(`${name}/`)
      return loads && !onlyTypes && !folders.some(folder => file.startsWith(folder))
    })
    assert.deepEqual(wrong.map(line), [])
  })
}

test('nothing leaves the machine past the guarded client', () => {
  const wrong = sources.filter(file => file.startsWith('src/') && /(?<![.\w'"`])fetch\(/.test(code(file)))
  assert.deepEqual(wrong, [])
})

test('the environment is read in one file', () => {
  const readers = sources.filter(file => file.startsWith('src/') && /process\.env\b/.test(code(file)))
  assert.deepEqual(readers, ['src/kit/settings.ts'])
})

test('the console takes from the service its types alone', () => {
  const wrong = imports
    .filter(({ file, from }) => file.startsWith('console/') && (from.startsWith('#') || /\.\.\/src\//.test(from)))
    .filter(({ from, onlyTypes }) => !onlyTypes || !/^#http\/contract/.test(from))
  assert.deepEqual(wrong.map(line), [])
})

test('the client stands alone, and only its entry for Node knows of Node', () => {
  const files = globSync('client/src/*.ts', { cwd: root })
  const wrong = files
    .flatMap(importsOf)
    .filter(
      ({ file, from }) => !/^\.\/[\w-]+\.ts$/.test(from) && !(file === 'client/src/node.ts' && /^node:/.test(from)),
    )
  assert.deepEqual(wrong.map(line), [])
  const intoIt = imports.filter(({ from }) => /client\/src|keepsake-client/.test(from))
  assert.deepEqual(intoIt.map(line), [])
  const silent = files.filter(file => !text(file).startsWith('// '))
  assert.deepEqual(silent, [])
})

test('a file says in its first line what it is for', () => {
  const files = sources.filter(file => file.startsWith('src/'))
  const silent = files.filter(file => !/^(#!.*\n)?(\/\/|\/\*)/.test(text(file)))
  assert.deepEqual(silent, [])
})

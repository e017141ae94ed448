// What makes the service faster and the code longer: where each of it stands, and how the code reads without it.

export interface Trick {
  name: string
  /** The file that holds it, below the project. */
  file: string
  /** Words that stand in the file once, and what stands there without the trick. */
  without: readonly (readonly [words: string, instead: string])[]
  /** The photo that shows it: `even` is turned without being decoded, so nearly all its cost is the service's. */
  photo: 'even' | 'odd'
}

export const tricks: readonly Trick[] = [
  // The copy as it is: how far two that are the same differ here.
  { name: 'nothing', file: 'src/main.ts', without: [], photo: 'even' },
  {
    name: 'prepared statements',
    file: 'src/db/prepared-client.ts',
    without: [['const name = this.#pooled ? undefined : nameOf(text)', 'const name = undefined']],
    photo: 'even',
  },
  {
    name: 'the socket file of PostgreSQL',
    file: 'src/postgres/embedded.ts',
    without: [['const byFile = existsSync(socket)', 'const byFile = false && existsSync(socket)']],
    photo: 'even',
  },
  {
    name: 'snapshots that are known to be stored',
    file: 'src/db/tasks/snapshots.ts',
    without: [['filter(([id]) => !known?.has(id))', 'filter(() => true)']],
    photo: 'even',
  },
  {
    name: 'the courier',
    file: 'src/tasks/end/finish.ts',
    without: [['const reserved = courier?.reserve(address.receiver)', 'const reserved = null']],
    photo: 'even',
  },
  {
    name: 'several jobs in one take',
    file: 'src/queue/consume.ts',
    without: [['const wanted = 2 ** Math.floor(Math.log2(room))', 'const wanted = 1']],
    photo: 'even',
  },
  {
    name: 'groups in one session',
    file: 'src/kit/process/own-group.ts',
    without: [['existsSync(PERL)', 'false']],
    photo: 'even',
  },
  {
    name: 'turns by jpegtran',
    file: 'src/media/picture/jpegtran.ts',
    without: [['if (!jpegtran ||', 'if (true ||']],
    photo: 'even',
  },
  {
    name: 'the mirror kernel',
    file: 'src/media/pixels/mirror.ts',
    without: [['x && !swap && width % PIXELS === 0', 'false']],
    photo: 'odd',
  },
  {
    name: 'standard Huffman tables',
    file: 'src/media/picture/picture-write.ts',
    without: [['optimiseCoding: false', 'optimiseCoding: true']],
    photo: 'odd',
  },
  {
    name: 'memory is given back at once',
    file: 'src/media/pixels/pixels.ts',
    without: [['const block = data.buffer as ArrayBuffer\n', 'return\n']],
    photo: 'odd',
  },
  {
    name: 'one heap in a media child',
    file: 'src/media/process/pool-child.ts',
    without: [["  MALLOC_ARENA_MAX: '1',\n", '']],
    photo: 'odd',
  },
]

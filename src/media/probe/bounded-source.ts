// A file source for mediabunny with a limited number of reads, because a damaged index may lead the reader in circles.
import { statSync } from 'node:fs'
import { FilePathSource } from 'mediabunny'

/** Enough reads for the tables of any file, plus one per 4 bytes: no track has smaller packets. */
const BASE_READS = 50_000
const BYTES_A_READ = 4

type Read = (start: number, end: number, least: number, most: number) => unknown

/** mediabunny calls this method for every piece of a file, also for bytes that it has in memory already. */
type Readable = FilePathSource & { _read: Read }

export class BoundedSource extends FilePathSource {
  #left: number

  constructor(path: string, options: ConstructorParameters<typeof FilePathSource>[1]) {
    super(path, options)
    this.#left = BASE_READS + (statSync(path, { throwIfNoEntry: false })?.size ?? 0) / BYTES_A_READ
    const source = this as unknown as Readable
    const read = source._read.bind(source)
    source._read = (...range) => {
      if (this.#left-- <= 0) throw new RangeError('the index is asked for again and again')
      return read(...range)
    }
  }
}

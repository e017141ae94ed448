// A request body made of bytes and ranges of files, sent through one buffer however large they are.
import { open } from 'node:fs/promises'
import type { Socket } from 'node:net'

export interface FileRange {
  path: string
  start: number
  /** The byte behind the last one. */
  end: number
  /** Hears of each stretch once it was handed to the connection. */
  sent?: (bytes: number) => void
}

export type Pieces = readonly (Uint8Array | FileRange)[]

export const lengthOf = (pieces: Pieces): number =>
  pieces.reduce((sum, piece) => sum + (piece instanceof Uint8Array ? piece.length : piece.end - piece.start), 0)

const bufferBytes = 256 * 1024

/**
 * For undici, which asks for the next chunk only after it wrote the last one to the socket. The buffer is used again
 * when the socket holds nothing any more; left to the garbage collector, chunks pile up to 60 MB and more (Node 24).
 */
export async function* chunksOf(pieces: Pieces, socket: Socket): AsyncGenerator<Uint8Array> {
  let buffer = Buffer.allocUnsafeSlow(bufferBytes)
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) {
      yield piece
      continue
    }
    await using file = await open(piece.path)
    for (let at = piece.start; at < piece.end; ) {
      if (socket.writableLength > 0) buffer = Buffer.allocUnsafeSlow(bufferBytes)
      const { bytesRead } = await file.read(buffer, 0, Math.min(bufferBytes, piece.end - at), at)
      if (bytesRead === 0) throw new Error('the file is shorter than it was')
      at += bytesRead
      // Before it is given away: whoever asks how much can have arrived must not be told too little.
      piece.sent?.(bytesRead)
      yield buffer.subarray(0, bytesRead)
    }
  }
}

// Gives transparent pixels the colour of their neighbours.
// Video stores one colour for four pixels, so hidden colours would darken or pale the edge of the visible ones.

/** Works in place on straight (not premultiplied) RGBA. Only fully transparent pixels change. */
export function bleed(rgba: Buffer, width: number, height: number): void {
  const [across, down] = [Math.ceil(width / 2), Math.ceil(height / 2)]
  const means = blockMeans(rgba, width, height, across, down)
  for (let row = 0; row < down; row++) {
    for (let column = 0; column < across; column++) {
      const block = row * across + column
      const own = means[block * 4 + 3]!
      if (own === OPAQUE) continue
      const from = own > 0 ? block : neighbour(means, row, column, across, down)
      if (from >= 0) fill(rgba, width, height, column * 2, row * 2, means, from * 4)
    }
  }
}

const OPAQUE = 4 * 255

/** The mean colour of every block of four pixels, weighted by alpha, and the sum of alphas. */
function blockMeans(rgba: Buffer, width: number, height: number, across: number, down: number): Float32Array {
  const means = new Float32Array(across * down * 4)
  for (let y = 0; y < height; y++) {
    for (let x = 0, at = y * width * 4; x < width; x++, at += 4) {
      const alpha = rgba[at + 3]!
      if (alpha === 0) continue
      const block = ((y >> 1) * across + (x >> 1)) * 4
      means[block] = means[block]! + rgba[at]! * alpha
      means[block + 1] = means[block + 1]! + rgba[at + 1]! * alpha
      means[block + 2] = means[block + 2]! + rgba[at + 2]! * alpha
      means[block + 3] = means[block + 3]! + alpha
    }
  }
  for (let i = 0; i < means.length; i += 4) {
    const sum = means[i + 3]!
    if (sum === 0) continue
    for (let channel = i; channel < i + 3; channel++) means[channel] = Math.round(means[channel]! / sum)
  }
  return means
}

/** A neighbour of an empty block that has a colour, or -1. The scaler reads one block further up and down. */
function neighbour(means: Float32Array, row: number, column: number, across: number, down: number): number {
  const has = (r: number, c: number): boolean =>
    r >= 0 && r < down && c >= 0 && c < across && means[(r * across + c) * 4 + 3]! > 0
  if (has(row - 1, column)) return (row - 1) * across + column
  if (has(row + 1, column)) return (row + 1) * across + column
  if (has(row, column - 1)) return row * across + column - 1
  return has(row, column + 1) ? row * across + column + 1 : -1
}

function fill(
  rgba: Buffer,
  width: number,
  height: number,
  left: number,
  top: number,
  means: Float32Array,
  mean: number,
): void {
  for (let y = top; y < Math.min(top + 2, height); y++) {
    for (let x = left; x < Math.min(left + 2, width); x++) {
      const at = (y * width + x) * 4
      if (rgba[at + 3] !== 0) continue
      rgba[at] = means[mean]!
      rgba[at + 1] = means[mean + 1]!
      rgba[at + 2] = means[mean + 2]!
    }
  }
}

// Reads SVG assets: only as a buffer, and only when they are self-contained.
import { Problem } from '#kit/errors.ts'
import { readWhole } from '../file/read-whole.ts'

const MOST_MIB = 10

/** References to anything outside the SVG. References inside (`#id`) and embedded pictures are fine. */
const outside = [
  /<!ENTITY/i,
  /<\?xml-stylesheet/i,
  /<script[\s>]/i,
  /<foreignObject[\s>]/i,
  /@import/i,
  /href\s*=\s*["'](?!["']|#|data:image\/(?:png|jpe?g|gif|webp)[;,])/i,
  /href\s*=\s*[^"'\s]/i,
  /url\(\s*(?:["']\s*)?(?!#|["'\s]|data:image\/)/i,
]

export const reachesOut = (text: string): boolean => outside.some(pattern => pattern.test(text))

export async function readSvg(path: string): Promise<Buffer> {
  const bytes = readWhole(path, MOST_MIB, 'An SVG')
  if (reachesOut(bytes.toString('utf8'))) {
    throw new Problem(
      'policy_blocked',
      'The SVG refers to something outside of itself (a file, an address, a script or an entity); only self-contained SVGs are taken.',
    )
  }
  return bytes
}

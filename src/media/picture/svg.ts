// SVG as an asset: only from a buffer, and only when it stands for itself.
import { Problem } from '#kit/errors.ts'
import { readWhole } from '../file/read-whole.ts'

const MOST_MIB = 10

/** Everything that makes an SVG reach out of itself; references inside (`#id`) and embedded pictures are fine. */
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

// Proves that people can be looked for on this machine: runs the models on a drawn person and holds their answers against the drawing.
import { Problem } from '#kit/errors.ts'
import type { Pixels } from '#media/pixels/pixels.ts'
import { toPixels } from '#media/pixels/pixels.ts'
import { vips } from '#media/pixels/vips.ts'
import { eyesOpen } from './eyes.ts'
import { facesOnWhole } from './faces.ts'
import { peopleIn } from './people-mask.ts'

/** Drawn as softly as a photo: the models take no cartoon for a person. */
const person = `<svg xmlns="http://www.w3.org/2000/svg" width="192" height="192">
<defs><radialGradient id="skin" cx=".45" cy=".4" r=".7"><stop stop-color="#eec2a0"/><stop offset=".7" stop-color="#c98f6b"/>
<stop offset="1" stop-color="#7d4f38"/></radialGradient><filter id="soft"><feGaussianBlur stdDeviation="1.3"/></filter></defs>
<rect width="192" height="192" fill="#8b97a3"/><g filter="url(#soft)">
<path d="M30 192C35 150 70 148 96 148C122 148 157 150 162 192Z" fill="#2b3a55"/><rect x="82" y="120" width="28" height="36" fill="#b07a58"/>
<ellipse cx="96" cy="90" rx="36" ry="47" fill="url(#skin)"/>
<path d="M58 92C52 40 78 34 96 34C114 34 140 40 134 92C130 66 118 58 96 58C74 58 62 66 58 92Z" fill="#2d1c12"/>
<path d="M70 78q10-6 18-1M104 77q9-5 18 1" stroke="#3a2417" stroke-width="3" fill="none"/>
<ellipse cx="80" cy="87" rx="7" ry="3.6" fill="#f3ece6"/><ellipse cx="112" cy="87" rx="7" ry="3.6" fill="#f3ece6"/>
<circle cx="80" cy="87" r="3.4" fill="#2a1a12"/><circle cx="112" cy="87" r="3.4" fill="#2a1a12"/>
<path d="M96 88L92 106Q96 110 101 106" stroke="#8d5a40" stroke-width="2.4" fill="#b9805e"/>
<path d="M83 119Q96 126 109 119Q96 115 83 119Z" fill="#a34e45"/></g></svg>`

/** The drawing, and where its face is. */
export async function drawnPerson(): Promise<{ pixels: Pixels; middle: { x: number; y: number } }> {
  const pixels = await toPixels(vips(Buffer.from(person)).removeAlpha(), 8)
  return { pixels, middle: { x: 96, y: 96 } }
}

/** Answers in one sentence; throws `tool_missing` where something is not there or works otherwise. */
export async function checkSight(): Promise<string> {
  const started = performance.now()
  const { pixels, middle } = await drawnPerson()
  const faces = await facesOnWhole(pixels)
  const [face] = faces
  const isFound =
    faces.length === 1 &&
    Math.abs(face!.left + face!.width / 2 - middle.x) < 10 &&
    Math.abs(face!.top + face!.height / 2 - middle.y) < 12
  const mask = await peopleIn(pixels)
  const at = (x: number, y: number): number => mask.alpha[y * mask.width + x]!
  const side = mask.width / pixels.width
  const isCut = at(Math.round(middle.x * side), Math.round(middle.y * side)) > 230 && at(8, 8) < 25
  const lids = await eyesOpen(pixels, faces)
  const isAwake = lids !== null && lids > 0.2 && lids < 0.45
  if (isFound && isCut && isAwake)
    return `People are found: the models saw a drawn one, in ${Math.round(performance.now() - started)} ms.`
  throw new Problem('tool_missing', 'The models run here, but do not find the drawn person that they find elsewhere.')
}

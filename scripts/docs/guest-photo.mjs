// Draws docs/images/guest.jpg, the photo that the README works on: two guests before a stage at night.
// Run by hand (`node scripts/docs/guest-photo.mjs`) when it should look different.
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'

const [width, height] = [1600, 1200]

/** The same numbers every time, so that the picture stays the same. */
let state = 20
const random = (from, to) => {
  state = (state * 16807) % 2147483647
  return from + (state / 2147483647) * (to - from)
}
const times = (count, draw) => Array.from({ length: count }, (_, i) => draw(i)).join('')
const pick = list => list[Math.floor(random(0, list.length))]

const warm = ['#ffd27a', '#ff9e6d', '#ff6f91', '#fff1c9']
const party = ['#ffd27a', '#ff6f91', '#7ad7ff', '#b79bff', '#8ff0c8']

const beam = (x, lean, colour) =>
  `<polygon points="${x - 8},250 ${x + 8},250 ${x + lean + 170},1200 ${x + lean - 170},1200" fill="${colour}" opacity=".17"/>`
const bokeh = () => {
  const r = random(10, 46)
  return `<circle cx="${random(0, width)}" cy="${random(260, 720)}" r="${r}" fill="${pick(warm)}" opacity="${random(0.12, 0.5)}"/>`
}
const confetti = () => {
  const [x, y] = [random(0, width), random(20, 900)]
  return `<rect x="${x}" y="${y}" width="${random(8, 18)}" height="${random(5, 10)}" rx="2" fill="${pick(party)}" opacity="${random(0.6, 1)}" transform="rotate(${random(0, 180)} ${x} ${y})"/>`
}
const head = i => {
  const [x, y] = [i * 62 + random(-20, 20), random(880, 930)]
  const arm =
    random(0, 1) > 0.55
      ? `<path d="M${x + 18} ${y + 70} q${random(10, 40)} -70 ${random(-6, 30)} -150" stroke="#160f2b" stroke-width="20" stroke-linecap="round" fill="none"/>`
      : ''
  return `<circle cx="${x}" cy="${y}" r="${random(32, 40)}" fill="#160f2b"/><ellipse cx="${x}" cy="${y + 120}" rx="66" ry="92" fill="#160f2b"/>${arm}`
}

/** A guest from behind the lens: shirt, neck, head, hair and a smile. */
const guest = ({ x, y, scale, lean, shirt, skin, shade, hair, locks }) => `
  <g transform="translate(${x} ${y}) rotate(${lean}) scale(${scale})">
    ${locks ? `<path d="M-112 -60 Q-130 150 -96 210 Q0 250 96 210 Q130 150 112 -60 Z" fill="${hair}"/>` : ''}
    <path d="M-250 620 Q-250 215 -60 185 L60 185 Q250 215 250 620 Z" fill="${shirt}"/>
    <path d="M-60 185 Q0 265 60 185 L48 100 L-48 100 Z" fill="${shade}"/>
    <ellipse cx="0" cy="0" rx="104" ry="132" fill="${skin}"/>
    <path d="M-112 -10 Q-128 -160 0 -172 Q128 -160 112 -10 Q96 -84 ${locks ? '20 -92 Q-60 -70' : '50 -96 Q-40 -104'} -84 -62 Z" fill="${hair}"/>
    <path d="M-58 -8 q18 -20 36 0 M22 -8 q18 -20 36 0" stroke="#2a1a22" stroke-width="9" stroke-linecap="round" fill="none"/>
    <path d="M-50 44 Q0 104 50 44 Q0 62 -50 44 Z" fill="#fff" stroke="#7c2f3c" stroke-width="5" stroke-linejoin="round"/>
    <circle cx="-66" cy="36" r="18" fill="#ff7d7d" opacity=".35"/><circle cx="66" cy="36" r="18" fill="#ff7d7d" opacity=".35"/>
  </g>`

const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
  <defs>
    <linearGradient id="night" x2="0" y2="1">
      <stop offset="0" stop-color="#140d33"/><stop offset=".5" stop-color="#47246b"/><stop offset=".8" stop-color="#b8446f"/><stop offset="1" stop-color="#f08a5d"/>
    </linearGradient>
    <radialGradient id="glow"><stop offset="0" stop-color="#ffe3b0" stop-opacity=".95"/><stop offset="1" stop-color="#ffb86b" stop-opacity="0"/></radialGradient>
    <filter id="soft"><feGaussianBlur stdDeviation="5"/></filter>
    <filter id="far"><feGaussianBlur stdDeviation="2.5"/></filter>
  </defs>
  <rect width="${width}" height="${height}" fill="url(#night)"/>
  <ellipse cx="800" cy="620" rx="760" ry="330" fill="url(#glow)"/>
  <g filter="url(#soft)">${beam(260, 330, '#7ad7ff')}${beam(520, 60, '#ffd27a')}${beam(800, 0, '#ff6f91')}${beam(1080, -60, '#b79bff')}${beam(1340, -330, '#8ff0c8')}${times(46, bokeh)}</g>
  <g filter="url(#far)">
    <path d="M110 250 H1490 V212 H110 Z" fill="#0d0822"/>
    ${times(5, i => `<circle cx="${260 + i * 270}" cy="250" r="26" fill="#fff6da"/>`)}
    ${times(27, head)}<rect x="-40" y="1010" width="${width + 80}" height="240" fill="#160f2b"/>
  </g>
  ${guest({ x: 590, y: 640, scale: 1.28, lean: -5, shirt: '#f4b942', skin: '#e3a77f', shade: '#c98b64', hair: '#3b2030', locks: true })}
  ${guest({ x: 1040, y: 600, scale: 1.34, lean: 5, shirt: '#2f9c95', skin: '#8d5a3c', shade: '#744730', hair: '#16101a', locks: false })}
  ${times(90, confetti)}
</svg>`

const file = fileURLToPath(new URL('../../docs/images/guest.jpg', import.meta.url))
// The renderer fades the outermost pixels.
await sharp(Buffer.from(svg))
  .flatten()
  .extract({ left: 8, top: 6, width: 1584, height: 1188 })
  .jpeg({ quality: 84, mozjpeg: true })
  .toFile(file)

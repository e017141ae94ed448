// A photo for those who have none at hand: drawn here, so nothing needs to be shipped or fetched.
import { t } from '../words/t.ts'

export async function samplePhoto(): Promise<File> {
  const canvas = document.createElement('canvas')
  canvas.width = 1440
  canvas.height = 1080
  const pen = canvas.getContext('2d')
  if (!pen) throw new Error(t('This browser cannot draw the sample photo. Drop a photo of your own.'))
  drawDusk(pen)
  drawWheel(pen, 930, 560, 300)
  drawHills(pen)
  const blob = await new Promise<Blob | null>(done => canvas.toBlob(done, 'image/jpeg', 0.9))
  if (!blob) throw new Error(t('This browser cannot draw the sample photo. Drop a photo of your own.'))
  return new File([blob], 'fair-at-dusk.jpg', { type: 'image/jpeg' })
}

function drawDusk(pen: CanvasRenderingContext2D): void {
  const sky = pen.createLinearGradient(0, 0, 0, 1080)
  sky.addColorStop(0, '#1d2a57')
  sky.addColorStop(0.5, '#8c4a78')
  sky.addColorStop(0.78, '#f08a5d')
  sky.addColorStop(1, '#ffd08a')
  pen.fillStyle = sky
  pen.fillRect(0, 0, 1440, 1080)
  pen.fillStyle = '#ffe9b8'
  pen.beginPath()
  pen.arc(330, 760, 92, 0, Math.PI * 2)
  pen.fill()
}

function drawWheel(pen: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  pen.strokeStyle = '#1a1430'
  pen.lineWidth = 12
  pen.beginPath()
  pen.arc(x, y, radius, 0, Math.PI * 2)
  pen.moveTo(x, y)
  pen.lineTo(x - 190, 1000)
  pen.moveTo(x, y)
  pen.lineTo(x + 190, 1000)
  pen.stroke()
  const colours = ['#ffd84d', '#ff6b5e', '#6fd3c3', '#f4f1e8']
  for (let cabin = 0; cabin < 14; cabin++) {
    const angle = (cabin / 14) * Math.PI * 2
    const [cx, cy] = [x + Math.cos(angle) * radius, y + Math.sin(angle) * radius]
    pen.lineWidth = 4
    pen.beginPath()
    pen.moveTo(x, y)
    pen.lineTo(cx, cy)
    pen.stroke()
    pen.fillStyle = colours[cabin % colours.length] ?? '#fff'
    pen.beginPath()
    pen.roundRect(cx - 26, cy - 6, 52, 44, 12)
    pen.fill()
  }
}

function drawHills(pen: CanvasRenderingContext2D): void {
  for (const [colour, top, swing] of [
    ['#3b2550', 880, 60],
    ['#1a1430', 960, 36],
  ] as const) {
    pen.fillStyle = colour
    pen.beginPath()
    pen.moveTo(0, 1080)
    for (let x = 0; x <= 1440; x += 20) pen.lineTo(x, top + Math.sin(x / 190 + top) * swing)
    pen.lineTo(1440, 1080)
    pen.fill()
  }
}

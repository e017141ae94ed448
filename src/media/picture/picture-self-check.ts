// Tests what pictures need on this machine, instead of asking for versions: each format, and emoji in colour.
import { drawn, vips } from '../pixels/vips.ts'

interface PictureCheck {
  /** Formats that this machine can write. */
  formats: string[]
  /** Whether the fonts of this machine draw emoji in colour. */
  colourEmoji: boolean
}

const formats = ['jpeg', 'png', 'webp', 'avif', 'gif', 'tiff'] as const

export async function checkPictures(): Promise<PictureCheck> {
  const grey = await drawn({ create: { width: 8, height: 8, channels: 3, background: '#808080' } })
    .png()
    .toBuffer()
  const written = await Promise.all(
    formats.map(format =>
      vips(grey)
        .toFormat(format)
        .toBuffer()
        .then(
          () => [format],
          () => [],
        ),
    ),
  )
  return { formats: written.flat(), colourEmoji: await drawsColour() }
}

async function drawsColour(): Promise<boolean> {
  try {
    const { data } = await drawn({ text: { text: '😀', rgba: true, dpi: 150 } })
      .raw()
      .toBuffer({ resolveWithObject: true })
    for (let at = 0; at < data.length; at += 4) if (data[at] !== data[at + 2]) return true
    return false
  } catch {
    return false
  }
}

// Encodes something endless, for tests that end it: `node ffmpeg-child.ts TOOLS FOLDER`.
import { runFfmpeg } from '#media/process/ffmpeg.ts'

const [tools = '{}', folder = '/'] = process.argv.slice(2)
const options = [
  '-filter_complex',
  'testsrc2=s=320x180:r=30,realtime[v]',
  '-map',
  '[v]',
  '-c:v',
  'libx264',
  '-f',
  'mp4',
]
await runFfmpeg(
  { inputs: [], options, output: `${folder}/endless` },
  {
    tools: JSON.parse(tools),
    folder,
    pixels: 57_600,
    seconds: 3600,
    onProgress: () => process.stdout.write('working\n'),
  },
)

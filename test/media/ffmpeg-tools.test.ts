// ffmpeg is taken by what it can do: an old or a lean one is named with what it lacks.
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { findFfmpeg } from '#media/process/find-ffmpeg.ts'
import { fresh, withFfmpeg } from '../support/videos.ts'

/** Something that answers like ffmpeg. */
async function pretender(version: string, answers: Record<string, string>): Promise<string> {
  const folder = fresh()
  await mkdir(folder)
  const cases = Object.entries(answers).map(([ask, names]) => `*-${ask}*) printf ' V..... %s x\\n' ${names} ;;`)
  const script = `#!/bin/sh\ncase "$*" in\n${cases.join('\n')}\n*) echo "ffmpeg version ${version} Copyright" ;;\nesac\n`
  for (const name of ['ffmpeg', 'ffprobe']) await writeFile(join(folder, name), script, { mode: 0o755 })
  return folder
}

const names = { ffmpeg: 'ffmpeg', ffprobe: 'ffprobe' }

test('the system’s own has all that is needed', withFfmpeg, async () => {
  const found = await findFfmpeg(names, process.env.PATH ?? '')
  assert.deepEqual(found?.missing, [])
})

test('one that is too old and lacks encoders and filters is told what it lacks', async () => {
  const folder = await pretender('4.4.2-0ubuntu', {
    encoders: 'aac libvpx-vp9 libopus libmp3lame libwebp_anim gif flac pcm_s16le',
    decoders: 'h264 hevc libvpx-vp9 aac opus',
    filters: 'tonemap xfade overlay concat fps perspective ebur128 sidechaincompress haldclut alphamerge alimiter',
  })
  const found = await findFfmpeg(names, folder)
  assert.equal(found?.version, '4.4.2-0ubuntu')
  assert.deepEqual(found.missing, [
    'version 5.1 or newer',
    'encoder libx264',
    'filter zscale',
    'filter paletteuse',
    'filter bwdif',
  ])
})

test('where there is none, none is found', async () => {
  assert.equal(await findFfmpeg(names, fresh()), null)
})

// The sample experience: three configurations that show what the service is for, made through the API like any other.

import { ApiError, at, get, send } from '../api/client.ts'
import type { Configuration } from '../api/shapes.ts'
import { t } from '../words/t.ts'

export const SAMPLE = 'sample'

export interface SampleConfiguration {
  name: string
  title: string
  about: string
  body: Configuration
}

const frame = {
  canvas: { width: 1200, height: 1500, background: '#fffdf8' },
  layers: [
    { type: 'photo', name: 'photo', x: 60, y: 60, width: 1080, height: 1080, fit: 'cover', gravity: 'faces' },
    {
      type: 'text',
      name: 'title',
      x: 60,
      y: 1190,
      width: 780,
      height: 130,
      text: '{{title}}',
      size_max: 96,
      align: 'left',
      valign: 'middle',
      color: '#15171c',
    },
    {
      type: 'text',
      name: 'line',
      x: 60,
      y: 1330,
      width: 780,
      height: 80,
      text: '{{line}}',
      size_max: 44,
      align: 'left',
      valign: 'middle',
      color: '#505763',
    },
    { type: 'qr', name: 'code', x: 920, y: 1200, width: 220, height: 220, data: '{{link}}' },
  ],
  context: { title: 'Wish you were here', line: 'A keepsake of today', link: 'https://example.com/keepsake' },
  format: 'jpeg',
}

export const samples: SampleConfiguration[] = [
  {
    name: 'sample_keepsake',
    title: t('Mirror, then frame'),
    about: t('A chain of both: mirrored like a photo booth, then put into the frame.'),
    body: {
      configuration_name: 'sample_keepsake',
      experience_id: SAMPLE,
      call_chain: [
        ['sample_mirror', null],
        ['sample_frame', 0],
      ],
    },
  },
  {
    name: 'sample_frame',
    title: t('A frame with words'),
    about: t('The photo in a frame with a title, a line and a QR code.'),
    body: {
      configuration_name: 'sample_frame',
      experience_id: SAMPLE,
      adapter_name: 'photo_compositor',
      adapter_config: { auth: {}, defaults: frame },
    },
  },
  {
    name: 'sample_mirror',
    title: 'A mirror',
    about: t('One step: left becomes right.'),
    body: {
      configuration_name: 'sample_mirror',
      experience_id: SAMPLE,
      adapter_name: 'photo_flip',
      adapter_config: { auth: {}, defaults: { method: 'FLIP_LEFT_RIGHT' } },
    },
  },
]

/** Makes what is missing, the parts before the chain that names them; what is there already stays as it is. */
export async function ensureSample(): Promise<void> {
  for (const { name, body } of samples.toReversed()) {
    const there = await get(at('configuration', name)).then(
      () => true,
      error => {
        if (error instanceof ApiError && error.status === 404) return false
        throw error
      },
    )
    if (there) continue
    await send('POST', at('configuration'), body).catch(error => {
      // Somebody else pressed the same button at the same time: all the better.
      if (!(error instanceof ApiError && error.code === 'name_taken')) throw error
    })
  }
}

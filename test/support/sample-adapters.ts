// Three adapters that declare one thing of each kind (options, assets, credentials), for tests of what is around adapters.
import Type from 'typebox'
import { type Adapter, type Adapters, destinationAdapter, imageAdapter } from '#engine/adapter.ts'

const flip = imageAdapter({
  name: 'photo_flip',
  summary: 'Turns a picture.',
  accepts: ['image'],
  makes: 'same',
  options: Type.Object(
    { method: Type.Enum(['FLIP_LEFT_RIGHT', 'ROTATE_180'], { description: 'How to turn.' }) },
    { additionalProperties: false },
  ),
  image: picture => picture,
})

const overlay = imageAdapter({
  name: 'photo_add_overlay',
  summary: 'Lays a picture over another.',
  accepts: ['image'],
  makes: 'same',
  options: Type.Object(
    {
      overlay_file_name: Type.String({ description: 'The asset to lay over.' }),
      opacity: Type.Optional(Type.Number({ minimum: 0, maximum: 1, default: 1, description: 'How dense.' })),
    },
    { additionalProperties: false },
  ),
  assets: [{ name: 'overlay_file_name', accepts: ['image'] }],
  image: picture => picture,
})

const upload = destinationAdapter({
  name: 's3_upload',
  summary: 'Puts the file into a bucket.',
  accepts: ['image', 'video', 'audio', 'file'],
  makes: 'same',
  options: Type.Object(
    {
      bucket_name: Type.String({ description: 'The bucket.' }),
      public: Type.Optional(Type.Boolean({ default: false, description: 'Readable by everybody.' })),
      metadata: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Kept with the file.' })),
    },
    { additionalProperties: false },
  ),
  auth: Type.Object(
    { access_key: Type.String(), secret_key: Type.String(), session_token: Type.Optional(Type.String()) },
    { additionalProperties: false },
  ),
  target: [],
  deliver: async () => ({}),
})

export const sampleAdapters: Adapters = new Map<string, Adapter>([flip, overlay, upload].map(a => [a.name, a]))

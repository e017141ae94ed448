// The option schema of photo_compositor: a canvas and what is painted on it.
import Type, { type Static } from 'typebox'
import { eccLevels } from '#media/pixels/qr.ts'
import { amount, asset, blend, closed, colour, extent, gravity, length, opacity, position } from './picture-options.ts'
import { textProperties } from './text-options.ts'

const canvasSide = (name: string) => Type.Integer({ minimum: 1, maximum: 20_000, description: `${name} in pixels.` })

const outline = Type.Object(
  {
    color: colour('Colour of the outline.', '#ffffff'),
    width: Type.Number({ minimum: 0, maximum: 200, default: 4, description: 'Width of the outline in pixels.' }),
  },
  closed,
)

export const layerSchema = Type.Object(
  {
    type: Type.Enum(['photo', 'image', 'text', 'qr', 'shape'], {
      description: 'What it shows: the input, an asset, text, a QR code or a plain shape.',
    }),
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: '^[A-Za-z0-9_-]+$',
        expects: 'a name of letters, digits, _ and -',
        description: 'A name; `NAME_override` in a task group replaces what a `photo` or an `image` shows.',
      }),
    ),
    x: length('Where its anchor lies, across the canvas: pixels or "50%".', { default: 0 }),
    y: length('Where its anchor lies, down the canvas: pixels or "50%".', { default: 0 }),
    width: extent('Width: pixels or a share of the canvas.', { default: '100%' }),
    height: extent('Height: pixels or a share of the canvas.', { default: '100%' }),
    anchor: position('The point of the layer that lies at `x`, `y`.', 'top_left'),
    fit: Type.Enum(['cover', 'contain', 'stretch'], { default: 'cover', description: 'How a picture fills its box.' }),
    gravity: gravity('Of a `photo` that covers its box: what of it is kept', 'center'),
    opacity,
    rotate: Type.Number({
      minimum: -360,
      maximum: 360,
      default: 0,
      description: 'Degrees clockwise, about its middle.',
    }),
    blend,
    radius: amount('Radius of round corners: pixels, or a share of the shorter side ("50%" makes a circle).', {
      default: 0,
    }),
    asset: asset('Of an `image`: the asset it shows.'),
    text: Type.String({
      default: '',
      maxLength: 5_000,
      description: 'Of a `text`: what is written; may hold {{placeholders}} and line breaks.',
    }),
    ...textProperties,
    color: colour('Colour of a `text` or a `shape`.', '#000000'),
    stroke: Type.Union([outline, Type.Null()], { default: null, description: 'Outline of a `text` or a `shape`.' }),
    data: Type.String({
      default: '',
      maxLength: 2953,
      description: 'Of a `qr`: what a reader gets; may hold {{placeholders}}.',
    }),
    ecc: Type.Enum([...eccLevels], { default: 'M', description: 'Of a `qr`: error correction.' }),
    quiet: Type.Integer({ minimum: 0, maximum: 16, default: 4, description: 'Of a `qr`: white margin in modules.' }),
    shape: Type.Enum(['rectangle', 'ellipse'], { default: 'rectangle', description: 'Of a `shape`: its form.' }),
  },
  closed,
)

const canvasSchema = Type.Object(
  {
    width: canvasSide('Width'),
    height: canvasSide('Height'),
    background: colour('What lies below all layers.', '#ffffff'),
  },
  closed,
)

/** What a template asset may hold; the options of the configuration come over it. */
export const templateSchema = Type.Object(
  {
    canvas: Type.Union([canvasSchema, Type.Null()], {
      default: null,
      description: 'The canvas; left out, it is as large as the input.',
    }),
    layers: Type.Array(layerSchema, {
      default: [],
      maxItems: 200,
      description: 'What is painted, in this order. Left out: the photo alone, over the whole canvas.',
    }),
  },
  closed,
)

export type CompositorLayer = Static<typeof layerSchema>

// The faces that an entry found, as boxes on the picture that it looked at.

import type { Entry, SeenPicture } from '../api/shapes.ts'
import { screenUrl } from '../api/tasks.ts'
import { t, tn } from '../words/t.ts'
import type { Place } from './sights.ts'

export function SeenFaces({ entry, seen, place }: { entry: Entry; seen: readonly SeenPicture[]; place: Place }) {
  const { kind, taskId, within } = place
  const which = [...within, entry.input_idx ?? ('input' as const)]
  return (
    <div>
      <p className="edgeprint mb-1">{t('Faces that were found')}</p>
      <ul className="flex flex-wrap gap-3">
        {seen.map((picture, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pictures of an entry stay in their order
          <li key={at}>
            <Boxes picture={picture} src={at === 0 ? screenUrl(kind, taskId, which, null, 640) : null} />
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Further pictures came as assets of the task: their boxes are shown without them. */
function Boxes({ picture: { width, height, faces }, src }: { picture: SeenPicture; src: string | null }) {
  const label = tn(faces.length, 'One face', '{count} faces')
  return (
    <figure className="max-w-full">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={label}
        className="block h-auto max-w-full rounded-md border border-line bg-well"
        style={{ width: `min(22rem, ${(18 * width) / height}rem)` }}
      >
        {src && <image href={src} width={width} height={height} preserveAspectRatio="none" />}
        {faces.map(face => (
          <rect
            key={`${face.left} ${face.top}`}
            x={face.left}
            y={face.top}
            width={face.width}
            height={face.height}
            fill="none"
            stroke="#ffd400"
            strokeWidth={3}
            vectorEffect="non-scaling-stroke"
          >
            <title>{t('{share} % sure', { share: Math.round(face.score * 100) })}</title>
          </rect>
        ))}
      </svg>
      <figcaption className="text-[13px] text-soft">{label}</figcaption>
    </figure>
  )
}

// What lies over the canvas while one works on it: the frame of the selection with its grips, guides, safe areas.

import { classes } from '../parts/classes.ts'
import { t } from '../words/t.ts'
import type { Hints } from './gestures.ts'
import { itemBounds } from './model/arrange.ts'
import { around, type Box, boxOf, type Grip, grips, type Size, turnOf } from './model/geometry.ts'
import { safeAreas } from './model/presets.ts'
import type { Item } from './model/state.ts'

const cursors: Record<Grip, string> = {
  nw: 'cursor-nwse-resize',
  se: 'cursor-nwse-resize',
  ne: 'cursor-nesw-resize',
  sw: 'cursor-nesw-resize',
  n: 'cursor-ns-resize',
  s: 'cursor-ns-resize',
  e: 'cursor-ew-resize',
  w: 'cursor-ew-resize',
}

const placeOf = (box: Box, scale: number) => ({
  left: box.x * scale,
  top: box.y * scale,
  width: box.width * scale,
  height: box.height * scale,
})

interface FrameProps {
  items: Item[]
  canvas: Size
  scale: number
  isLocked: boolean
  /** Without grips: for looking, not for dragging. */
  isStill: boolean
}

export function SelectionFrame({ items, canvas, scale, isLocked, isStill }: FrameProps) {
  const [only, ...more] = items
  const isOne = only !== undefined && more.length === 0
  const box = isOne ? boxOf(only.layer, canvas) : around(items.map(item => itemBounds(item, canvas)))
  if (!box) return null
  const turn = isOne ? turnOf(only.layer) : 0
  const isSmall = box.width * scale < 44 || box.height * scale < 44
  const shown = grips.filter(grip => grip.length === 2 || (isOne && !isSmall && only.layer.type !== 'qr'))
  return (
    <>
      {!isOne &&
        items.map(item => (
          <div
            key={item.id}
            className="pointer-events-none absolute outline-1 outline-[#2f6bff]"
            style={{
              ...placeOf(boxOf(item.layer, canvas), scale),
              rotate: turnOf(item.layer) ? `${turnOf(item.layer)}deg` : undefined,
            }}
          />
        ))}
      <div
        data-frame
        className={classes(
          'pointer-events-none absolute outline-2 ring-2 ring-white/80',
          isLocked ? 'outline-[#7b8390] outline-dashed' : 'outline-[#2f6bff]',
        )}
        style={{ ...placeOf(box, scale), rotate: turn ? `${turn}deg` : undefined }}
      >
        {!isLocked && !isStill && shown.map(grip => <GripDot key={grip} grip={grip} />)}
        {!isLocked && !isStill && isOne && (
          <span
            data-grip="turn"
            title={t('Drag to turn; near every 15 degrees it snaps')}
            className="pointer-events-auto absolute -top-9 left-1/2 grid size-7 -translate-x-1/2 cursor-grab touch-none place-items-center pointer-coarse:-top-12 pointer-coarse:size-11"
          >
            <span className="pointer-events-none size-3.5 rounded-full border-2 border-[#2f6bff] bg-white shadow" />
          </span>
        )}
      </div>
    </>
  )
}

function GripDot({ grip }: { grip: Grip }) {
  return (
    <span
      data-grip={grip}
      className={classes(
        'pointer-events-auto absolute grid size-5 touch-none place-items-center pointer-coarse:size-9',
        cursors[grip],
      )}
      style={{
        left: grip.endsWith('w') ? 0 : grip.endsWith('e') ? '100%' : '50%',
        top: grip.startsWith('n') ? 0 : grip.startsWith('s') ? '100%' : '50%',
        translate: '-50% -50%',
      }}
    >
      <span
        className={classes(
          'pointer-events-none border-2 border-[#2f6bff] bg-white shadow',
          grip.length === 2 ? 'size-3 rounded-full' : 'size-2.5 rounded-[3px]',
        )}
      />
    </span>
  )
}

export function GuideLines({ hints, scale }: { hints: Hints; scale: number }) {
  return (
    <div aria-hidden className="pointer-events-none absolute inset-0">
      {hints.guides.map(({ axis, at, from, to, kind }) => {
        // A gap is measured along its axis, a line stands across it.
        const isUpright = (axis === 'x') === (kind === 'line')
        const place = isUpright
          ? { left: at * scale - 0.5, top: from * scale, width: 1, height: (to - from) * scale }
          : { top: at * scale - 0.5, left: from * scale, height: 1, width: (to - from) * scale }
        return (
          <span
            key={`${axis} ${at} ${from} ${to} ${kind}`}
            data-guide={kind}
            className={classes('absolute', kind === 'gap' ? 'bg-[#e8159b]' : 'bg-[#ff3d6e]')}
            style={place}
          >
            {kind === 'gap' && (
              <span className="absolute top-1/2 left-1/2 -translate-1/2 rounded bg-[#a80d6f] px-1 text-[11px] font-semibold text-white">
                {Math.round(to - from)}
              </span>
            )}
          </span>
        )
      })}
      {hints.area && (
        <span
          data-area
          className="absolute border border-[#2f6bff] bg-[#2f6bff]/15"
          style={placeOf(hints.area, scale)}
        />
      )}
    </div>
  )
}

export function SafeAreas({ canvas, scale }: { canvas: Size; scale: number }) {
  return (
    <div aria-hidden data-safe-areas className="pointer-events-none absolute inset-0">
      {safeAreas(canvas).map(({ kind, top, right, bottom, left }) => (
        <span
          key={kind}
          className={classes(
            'absolute border border-dashed outline-1 outline-white/70 outline-dashed',
            kind === 'cut' ? 'border-[#c81e1e]' : 'border-[#0b6fa4]',
          )}
          style={{ top: top * scale, right: right * scale, bottom: bottom * scale, left: left * scale }}
        >
          <span className="absolute -top-px left-1/2 -translate-x-1/2 -translate-y-1/2 rounded bg-[#15171c] px-1.5 text-[10px] leading-4 whitespace-nowrap text-white">
            {kind === 'cut' ? t('may be cut off outside') : t('keep words inside')}
          </span>
        </span>
      ))}
    </div>
  )
}

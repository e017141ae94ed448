// The tools above the canvas: undo, adding layers, zoom, what holds while dragging; and the sample guest.

import {
  Grid2x2,
  Image,
  Link2,
  type LucideIcon,
  Magnet,
  Maximize,
  Minus,
  Plus,
  QrCode,
  Redo2,
  Square,
  Type,
  Undo2,
  UserRound,
} from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { classes } from '../parts/classes.ts'
import { t } from '../words/t.ts'
import type { LayerType } from './model/arrange.ts'
import { sampleGuests } from './model/guests.ts'

export const layerIcons: Record<LayerType, LucideIcon> = {
  photo: UserRound,
  image: Image,
  text: Type,
  qr: QrCode,
  shape: Square,
}

const layerWords: Record<LayerType, string> = {
  photo: t('Photo'),
  image: t('Picture'),
  text: t('Text'),
  qr: t('QR code'),
  shape: t('Shape'),
}

export function Tool({
  icon: Icon,
  label,
  pressed,
  disabled = false,
  onClick,
}: {
  icon: LucideIcon
  label: string
  pressed?: boolean
  disabled?: boolean
  onClick(): void
}) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      disabled={disabled}
      onClick={onClick}
      className={classes(
        'inline-grid size-9 shrink-0 place-items-center rounded-lg transition-colors disabled:opacity-35 max-sm:size-11 pointer-coarse:size-11',
        pressed ? 'bg-ink text-card' : 'text-soft hover:bg-ink/7 hover:text-ink',
      )}
    >
      <Icon aria-hidden className="size-[18px]" />
    </button>
  )
}

const Group = ({ children, label }: { children: ReactNode; label: string }) => (
  // biome-ignore lint/a11y/useSemanticElements: buttons of a kind, not fields of a form.
  <div role="group" aria-label={label} className="flex flex-wrap items-center gap-0.5">
    {children}
  </div>
)

interface Props {
  canUndo: boolean
  canRedo: boolean
  onUndo(): void
  onRedo(): void
  onAdd(type: LayerType): void
  zoom: number
  isFitted: boolean
  onZoom(step: 'in' | 'out' | 'fit'): void
  snaps: boolean
  onSnaps(on: boolean): void
  keepsShape: boolean
  onKeepsShape(on: boolean): void
  showsAreas: boolean
  onShowsAreas(on: boolean): void
  isStill: boolean
}

export function Toolbar(props: Props) {
  const { isStill } = props
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5 border-b border-line px-3 py-1.5">
      <Group label={t('History')}>
        <Tool icon={Undo2} label={t('Undo (Ctrl+Z)')} disabled={!props.canUndo} onClick={props.onUndo} />
        <Tool icon={Redo2} label={t('Redo (Ctrl+Shift+Z)')} disabled={!props.canRedo} onClick={props.onRedo} />
      </Group>
      <Group label={t('Add a layer')}>
        {(Object.keys(layerIcons) as LayerType[]).map(type => {
          const Icon = layerIcons[type]
          return (
            <button
              key={type}
              type="button"
              onClick={() => props.onAdd(type)}
              className="inline-flex min-h-9 items-center gap-1.5 rounded-lg px-2 text-[13.5px] font-semibold whitespace-nowrap hover:bg-ink/7 max-sm:min-h-11 pointer-coarse:min-h-11"
            >
              <Icon aria-hidden className="size-4 text-soft" />
              <span className="sr-only">{t('Add:')} </span>
              {layerWords[type]}
            </button>
          )
        })}
      </Group>
      {!isStill && (
        <>
          <Group label={t('Zoom')}>
            <Tool icon={Minus} label={t('Zoom out (Ctrl+−)')} onClick={() => props.onZoom('out')} />
            <span aria-live="polite" className="w-12 text-center text-[13px] text-soft tabular-nums">
              {Math.round(props.zoom * 100)} %
            </span>
            <Tool icon={Plus} label={t('Zoom in (Ctrl++)')} onClick={() => props.onZoom('in')} />
            <Tool
              icon={Maximize}
              label={t('Fit the canvas (Ctrl+0)')}
              pressed={props.isFitted}
              onClick={() => props.onZoom('fit')}
            />
          </Group>
          <Group label={t('While dragging')}>
            <Tool
              icon={Magnet}
              label={t('Snap to edges, middles and gaps (hold Ctrl to drag freely)')}
              pressed={props.snaps}
              onClick={() => props.onSnaps(!props.snaps)}
            />
            <Tool
              icon={Link2}
              label={t('Keep proportions (hold Shift for the other way)')}
              pressed={props.keepsShape}
              onClick={() => props.onKeepsShape(!props.keepsShape)}
            />
            <Tool
              icon={Grid2x2}
              label={t('Show safe areas')}
              pressed={props.showsAreas}
              onClick={() => props.onShowsAreas(!props.showsAreas)}
            />
          </Group>
        </>
      )}
    </div>
  )
}

export function GuestSwitch({ guest, onGuest }: { guest: string; onGuest(key: string): void }) {
  const guestId = useId()
  return (
    <div className="flex min-w-0 items-center gap-2">
      <label htmlFor={guestId} className="text-[13.5px] whitespace-nowrap text-soft">
        {t('Sample guest')}
      </label>
      <select
        id={guestId}
        value={guest}
        onChange={event => onGuest(event.target.value)}
        className="field min-h-9 max-w-56 min-w-0 rounded-lg border border-edge bg-card px-2 text-[13.5px] max-sm:min-h-11"
      >
        <option value="">{t('As in the options')}</option>
        {sampleGuests.map(({ key, title }) => (
          <option key={key} value={key} dir="auto">
            {title}
          </option>
        ))}
      </select>
    </div>
  )
}

// A place to drop a file, or to pick or photograph one; works by keyboard and on phones.
import { Upload } from 'lucide-react'
import { type DragEvent, type ReactNode, useId, useState } from 'react'
import { bytes } from '../format/size.ts'
import { classes } from './classes.ts'

interface Props {
  label: string
  hint?: ReactNode
  accept?: string
  file?: File | null
  big?: boolean
  disabled?: boolean
  onFile(file: File): void
  /** Several at once may be dropped and picked. */
  onFiles?(files: File[]): void
}

export function Dropzone({ label, hint, accept, file, big = false, disabled = false, onFile, onFiles }: Props) {
  const take = (files: FileList | null) => {
    const [first] = files ?? []
    if (!first) return
    if (onFiles) onFiles([...(files ?? [])])
    else onFile(first)
  }
  const id = useId()
  const { isOver, handlers } = useDrop(files => {
    if (!disabled) take(files)
  })
  return (
    <div
      {...handlers}
      className={classes(
        'relative grid place-items-center rounded-card border-2 border-dashed text-center transition-colors focus-within:border-ink',
        big ? 'min-h-56 p-8' : 'min-h-24 p-4',
        disabled
          ? 'border-line bg-well text-soft'
          : isOver
            ? 'border-ink bg-marker/30'
            : 'border-edge bg-well hover:border-ink',
      )}
    >
      <label htmlFor={id} className="pointer-events-none">
        <Upload aria-hidden className={classes('mx-auto mb-2', big ? 'size-9' : 'size-5')} strokeWidth={1.6} />
        <span className={classes('block font-semibold', big && 'font-display text-[21px]')}>{label}</span>
        {file ? (
          <span className="mt-1 block text-[14px] text-soft [overflow-wrap:anywhere]">
            <bdi>{file.name}</bdi> · {bytes(file.size)}
          </span>
        ) : (
          hint && <span className="mt-1 block text-[14px] text-soft">{hint}</span>
        )}
      </label>
      <input
        id={id}
        type="file"
        accept={accept}
        multiple={onFiles !== undefined}
        disabled={disabled}
        onChange={event => {
          take(event.target.files)
          event.target.value = ''
        }}
        className="absolute inset-0 cursor-pointer disabled:cursor-not-allowed rounded-card opacity-0 focus-visible:opacity-100 focus-visible:text-transparent focus-visible:file:hidden"
      />
    </div>
  )
}

/** Takes files that are dropped onto an element, and knows whether some are held above it. */
export function useDrop(onDrop: (files: FileList) => void) {
  const [isOver, setOver] = useState(false)
  const handlers = {
    onDragOver(event: DragEvent) {
      event.preventDefault()
      setOver(true)
    },
    onDragLeave: () => setOver(false),
    onDrop(event: DragEvent) {
      event.preventDefault()
      setOver(false)
      onDrop(event.dataTransfer.files)
    },
  }
  return { isOver, handlers }
}

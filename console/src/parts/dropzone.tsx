// A place to drop a file, or to pick or photograph one; works by keyboard and on phones.
import { Upload } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
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
}

export function Dropzone({ label, hint, accept, file, big = false, disabled = false, onFile }: Props) {
  const id = useId()
  const [over, setOver] = useState(false)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is the extra way; the input inside takes keyboard and pointer.
    <div
      onDragOver={event => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={event => {
        event.preventDefault()
        setOver(false)
        const dropped = event.dataTransfer.files[0]
        if (dropped && !disabled) onFile(dropped)
      }}
      className={classes(
        'relative grid place-items-center rounded-card border-2 border-dashed text-center transition-colors focus-within:border-ink',
        big ? 'min-h-56 p-8' : 'min-h-24 p-4',
        disabled
          ? 'border-line bg-well text-soft'
          : over
            ? 'border-ink bg-marker/30'
            : 'border-edge bg-well hover:border-ink',
      )}
    >
      <label htmlFor={id} className="pointer-events-none">
        <Upload aria-hidden className={classes('mx-auto mb-2', big ? 'size-9' : 'size-5')} strokeWidth={1.6} />
        <span className={classes('block font-semibold', big && 'font-display text-[21px]')}>{label}</span>
        {file ? (
          <span className="mt-1 block text-[14px] text-soft [overflow-wrap:anywhere]">
            {file.name} · {bytes(file.size)}
          </span>
        ) : (
          hint && <span className="mt-1 block text-[14px] text-soft">{hint}</span>
        )}
      </label>
      <input
        id={id}
        type="file"
        accept={accept}
        disabled={disabled}
        onChange={event => {
          const picked = event.target.files?.[0]
          if (picked) onFile(picked)
          event.target.value = ''
        }}
        className="absolute inset-0 cursor-pointer disabled:cursor-not-allowed rounded-card opacity-0 focus-visible:opacity-100 focus-visible:text-transparent focus-visible:file:hidden"
      />
    </div>
  )
}

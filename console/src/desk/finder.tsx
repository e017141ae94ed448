// The field of the desk: for hands, for a reader that types, and the way to the camera.

import { ScanQrCode, Search } from 'lucide-react'
import { type FormEvent, type RefObject, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { control } from '../parts/field.tsx'
import { t } from '../words/t.ts'
import { Camera, useCanScan } from './camera.tsx'

interface Props {
  field: RefObject<HTMLInputElement | null>
  text: string
  isBusy: boolean
  onText(text: string): void
  onFind(text: string): void
}

const LONGEST = 320

export function Finder({ field, text, isBusy, onText, onFind }: Props) {
  const canScan = useCanScan()
  const [isScanning, setScanning] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onFind(text)
    // The next scan replaces this one.
    field.current?.select()
  }
  return (
    <search className="mb-5 block">
      <form onSubmit={submit} className="flex flex-wrap gap-2">
        <div className="relative min-w-0 flex-1 basis-64">
          <Search aria-hidden className="pointer-events-none absolute top-3.5 left-3 size-5 text-soft" />
          <input
            ref={field}
            // biome-ignore lint/a11y/noAutofocus: a reader types wherever the focus is, and this field is what the page is for.
            autoFocus
            aria-label={t('E-mail, name, code or tag of a guest')}
            placeholder={t('E-mail, name, code or tag')}
            value={text}
            maxLength={LONGEST}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            enterKeyHint="search"
            onChange={event => onText(event.target.value)}
            className={`${control} min-h-12! pl-10 text-[17px]`}
          />
        </div>
        <Button type="submit" look="primary" busy={isBusy} className="min-h-12!">
          {t('Find')}
        </Button>
        {canScan && (
          <Button icon={ScanQrCode} onClick={() => setScanning(true)} className="min-h-12!">
            {t('Scan with the camera')}
          </Button>
        )}
      </form>
      <p className="mt-2 text-[14px] text-soft">
        {t('Type any part and press Enter, or scan with a reader.')}{' '}
        <span className="hidden lg:inline">
          {t('{slash} comes back to the field, {escape} goes back.', { slash: <kbd>/</kbd>, escape: <kbd>Esc</kbd> })}
        </span>{' '}
        {canScan === false && t('This browser can’t scan with the camera.')}
      </p>
      {isScanning && (
        <Camera
          onClose={() => setScanning(false)}
          onRead={read => {
            setScanning(false)
            onFind(read)
          }}
        />
      )}
    </search>
  )
}

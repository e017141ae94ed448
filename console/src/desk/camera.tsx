// Reads a code with the camera, where the browser can. The camera is off as soon as this is closed.

import { useEffect, useRef, useState } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { Notice } from '../parts/notes.tsx'
import { t } from '../words/t.ts'

interface Detector {
  detect(source: HTMLVideoElement): Promise<{ rawValue: string }[]>
}
interface DetectorClass {
  new (): Detector
  getSupportedFormats(): Promise<string[]>
}

const detectorClass = (): DetectorClass | undefined =>
  (globalThis as unknown as { BarcodeDetector?: DetectorClass }).BarcodeDetector

const LOOK_MS = 150

/** Whether this browser reads codes; null until it is known. Some have the class and no format. */
export function useCanScan(): boolean | null {
  const [can, setCan] = useState<boolean | null>(null)
  useEffect(() => {
    const detector = detectorClass()
    if (!detector || !navigator.mediaDevices?.getUserMedia) return setCan(false)
    let isHere = true
    const known = (formats: string[]) => isHere && setCan(formats.length > 0)
    detector.getSupportedFormats().then(known, () => known([]))
    return () => {
      isHere = false
    }
  }, [])
  return can
}

const reasonOf = (error: unknown): string => {
  const name = error instanceof Error ? error.name : ''
  if (name === 'NotAllowedError')
    return t('The browser does not let this page use the camera. Allow it in the address bar.')
  if (name === 'NotFoundError') return t('There is no camera here.')
  return t('The camera can’t be used now. Another program may have it.')
}

export function Camera({ onRead, onClose }: { onRead(text: string): void; onClose(): void }) {
  const video = useRef<HTMLVideoElement>(null)
  const [wrong, setWrong] = useState<string | null>(null)
  const read = useRef(onRead)
  read.current = onRead
  useEffect(() => {
    let isOpen = true
    let stream: MediaStream | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const off = () => {
      isOpen = false
      clearTimeout(timer)
      for (const track of stream?.getTracks() ?? []) track.stop()
    }
    const start = async () => {
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } })
      // Closed while the browser was asking.
      if (!isOpen) return off()
      const Detect = detectorClass()
      const shown = video.current
      if (!Detect || !shown) return off()
      shown.srcObject = stream
      // Some answer only with the first picture, and that is not waited for.
      shown.play().catch(() => {})
      const detector = new Detect()
      const look = async () => {
        const codes = await detector.detect(shown).catch(() => [])
        if (!isOpen) return
        const text = codes.find(({ rawValue }) => rawValue.trim() !== '')?.rawValue
        if (text === undefined) timer = setTimeout(() => void look(), LOOK_MS)
        else {
          off()
          read.current(text)
        }
      }
      await look()
    }
    start().catch(error => {
      if (isOpen) setWrong(reasonOf(error))
      off()
    })
    return off
  }, [])
  return (
    <Dialog title={t('Scan a code')} about={t('Hold the code in front of the camera.')} open onClose={onClose}>
      {wrong === null ? (
        <video
          ref={video}
          muted
          playsInline
          aria-label={t('What the camera sees')}
          className="aspect-4/3 w-full rounded-lg bg-black object-cover"
        />
      ) : (
        <Notice>{wrong}</Notice>
      )}
    </Dialog>
  )
}

// How a step looks in the graph and in the list: what it made if it was tried, else what its adapter does.

import { Send, Workflow } from 'lucide-react'
import { useObjectUrl } from '../parts/before-after.tsx'
import { t } from '../words/t.ts'
import { adapterPicture } from './pictures.ts'

export interface StepResult {
  blob: Blob | null
  /** Kind, size and time in words; or why there is nothing. */
  words: string
}

export interface StepLook {
  name: string
  /** What it does, in words. */
  does: string
  adapterName: string | null
  isDestination: boolean
  result: StepResult | undefined
  /** What it still lacks, in few words. */
  trouble: string | undefined
}

export function StepFace({
  look: { name, does, adapterName, isDestination, result },
  isNameless = false,
}: {
  look: StepLook
  /** Its name stands beside it already. */
  isNameless?: boolean
}) {
  const made = useObjectUrl(result?.blob ?? null)
  const sample = adapterName ? adapterPicture(adapterName) : undefined
  const isVideo = result?.blob?.type.startsWith('video/')
  const isPicture = result?.blob?.type.startsWith('image/')
  const frame = 'h-24 w-full rounded-md bg-well object-contain'
  return (
    <span className="block">
      {made && isVideo ? (
        <video
          src={made}
          muted
          playsInline
          preload="metadata"
          className={frame}
          aria-label={t('What {name} made', { name })}
        />
      ) : made && isPicture ? (
        <img src={made} alt={t('What {name} made', { name })} className={frame} />
      ) : sample ? (
        <img src={sample} alt="" loading="lazy" className="h-24 w-full rounded-md bg-well object-contain opacity-85" />
      ) : (
        <span className="grid h-24 w-full place-items-center rounded-md bg-well">
          {isDestination ? (
            <Send aria-hidden className="size-7 text-soft" strokeWidth={1.5} />
          ) : (
            <Workflow aria-hidden className="size-7 text-soft" strokeWidth={1.5} />
          )}
        </span>
      )}
      {!isNameless && (
        <span dir="auto" className="mt-2 block truncate font-semibold" title={name}>
          {name}
        </span>
      )}
      <span className="block truncate text-[12.5px] text-soft">{result?.words ?? does}</span>
    </span>
  )
}

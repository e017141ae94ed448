// The mark of a delivery that was taken back.

import { Undo2 } from 'lucide-react'
import { exactly } from '../format/time.ts'
import { t } from '../words/t.ts'

export function Retracted({ at }: { at: string }) {
  return (
    <p className="inline-flex items-center gap-1.5 text-warn">
      <Undo2 aria-hidden className="size-4 shrink-0" />
      {t('Taken back {when}', { when: <time dateTime={at}>{exactly(at)}</time> })}
    </p>
  )
}

// Says that an experience is over.

import { Archive } from 'lucide-react'
import { t } from '../words/t.ts'

export const Archived = () => (
  <span className="inline-flex items-center gap-1.5 rounded-full bg-wait-bg px-2.5 py-0.5 text-[13px] font-semibold text-wait">
    <Archive aria-hidden className="size-3.5" /> {t('Archived')}
  </span>
)

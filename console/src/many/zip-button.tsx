// Saves many files as one archive; says so where there are none or too many.

import { FileArchive } from 'lucide-react'
import { useState } from 'react'
import { sentence } from '../api/client.ts'
import { Button } from '../parts/button.tsx'
import { t } from '../words/t.ts'
import { downloadZip } from './zip.ts'

export function ZipButton({ url }: { url: string }) {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const save = async () => {
    setBusy(true)
    setProblem(null)
    await downloadZip(url).catch(error => setProblem(sentence(error)))
    setBusy(false)
  }
  return (
    <span className="flex flex-col items-end gap-1">
      <Button icon={FileArchive} busy={busy} onClick={() => void save()}>
        {t('Download all as zip')}
      </Button>
      {problem && (
        <span role="alert" className="text-[13.5px] text-fail">
          {problem}
        </span>
      )}
    </span>
  )
}

// An entry that melted into the next one: no file was written in between, but it is made again for whoever asks.

import { useMutation } from '@tanstack/react-query'
import { Merge } from 'lucide-react'
import { request } from '../api/client.ts'
import { useObjectUrl } from '../parts/before-after.tsx'
import { Media, Print } from '../parts/media.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { Progress } from '../parts/progress.tsx'
import { t } from '../words/t.ts'

export function Melted({ src, label }: { src: string; label: string }) {
  const again = useMutation({ mutationFn: async () => (await request(src)).blob() })
  const url = useObjectUrl(again.data ?? null)
  if (again.data && url)
    return (
      <Print caption={t('Made again just now: melted into the next entry, no file is kept')}>
        <Media src={url} mime={again.data.type} label={label} className="max-h-80 w-auto" />
      </Print>
    )
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[14px] text-soft">
        <Merge aria-hidden className="size-4 shrink-0" />{' '}
        {t('Melted into the next entry: no file was written in between.')}
        <button
          type="button"
          disabled={again.isPending}
          onClick={() => again.mutate()}
          className="rounded font-semibold text-ink underline underline-offset-3"
        >
          {t('Show how it looked here')}
        </button>
      </p>
      {again.isPending && <Progress value={null} label={t('Making it again')} />}
      {again.isError && <ErrorNote error={again.error} />}
    </>
  )
}

// The versions of an asset: what its file was, who changed it, the way back; and its history.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { File as FileIcon, RotateCcw } from 'lucide-react'
import type { AssetVersion } from '#http/contract/version-shapes.ts'
import { at, get, query, send } from '../api/client.ts'
import { useMay } from '../api/session.ts'
import type { Asset, List } from '../api/shapes.ts'
import { facts } from '../format/size.ts'
import { HistoryList } from '../history/history-card.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Media } from '../parts/media.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { Ago } from '../parts/time.tsx'
import { announce } from '../parts/toast.tsx'
import { t } from '../words/t.ts'

const words = { made: t('Made'), changed: t('Replaced'), restored: t('Restored') } as const

export function AssetVersions({ asset, may, onClose }: { asset: Asset; may: boolean; onClose(): void }) {
  const client = useQueryClient()
  const admin = useMay('admin')
  const versions = useQuery({
    queryKey: ['asset', 'versions', asset.name],
    queryFn: ({ signal }) =>
      get<List<AssetVersion>>(query(at('asset', asset.name, 'versions'), { limit: 50 }), signal).then(
        ({ items }) => items,
      ),
  })
  const restore = useMutation({
    mutationFn: (version: number) => send<Asset>('POST', at('asset', asset.name, 'versions', version, 'restore')),
    onSuccess: async (_asset, version) => {
      await client.invalidateQueries({ queryKey: ['asset'] })
      await client.invalidateQueries({ queryKey: ['audit', 'asset', asset.name] })
      announce(t('{name} has the file of version {version} again.', { name: asset.name, version }))
    },
  })
  return (
    <Dialog
      title={t('Versions of {name}', { name: asset.name })}
      about={t('New tasks use the file of now.')}
      open
      onClose={onClose}
    >
      {versions.isPending && <Loading rows={2} />}
      {versions.isError && <ErrorNote error={versions.error} retry={() => void versions.refetch()} />}
      {restore.isError && <ErrorNote error={restore.error} />}
      <ol aria-label={t('Versions')}>
        {versions.data?.map(({ version, is_current, change, changed_by, created_at, asset: was }) => (
          <li
            key={version}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line py-3 last:border-0"
          >
            <div className="grid h-16 w-20 shrink-0 place-items-center overflow-hidden rounded-md border border-line bg-well">
              {/^(image|video)\//.test(was.mime) ? (
                <Media
                  src={at('asset', asset.name, 'versions', version, 'file')}
                  mime={was.mime}
                  label={t('Version {version}', { version })}
                  className="max-h-16 object-contain"
                />
              ) : (
                <FileIcon aria-hidden className="size-6 text-soft" />
              )}
            </div>
            <div className="min-w-0 flex-1 basis-48">
              <p className="font-semibold">
                {t('Version {version}', { version })}
                {is_current && <span className="ml-1.5 font-normal text-soft">{t('the one of now')}</span>}
              </p>
              <p className="text-[13.5px] text-soft">{facts(was)}</p>
              <p className="text-[13.5px] text-soft">
                {words[change]} <Ago at={created_at} />
                {changed_by && (
                  <>
                    {' · '}
                    <bdi>{changed_by.name}</bdi>
                  </>
                )}
              </p>
            </div>
            {may && !is_current && (
              <Button
                icon={RotateCcw}
                aria-label={t('Restore version {version}', { version })}
                busy={restore.isPending && restore.variables === version}
                disabled={restore.isPending}
                onClick={() => restore.mutate(version)}
              >
                {t('Restore')}
              </Button>
            )}
          </li>
        ))}
      </ol>
      {admin && (
        <details className="mt-3 rounded-lg border border-line">
          <summary className="px-4 py-2 font-semibold">{t('Who changed it')}</summary>
          <HistoryList object="asset" objectId={asset.name} nothing={t('Nobody has changed it since it was made.')} />
        </details>
      )}
    </Dialog>
  )
}

// Assets: frames, backgrounds, sounds and fonts that configurations name; with a preview and where each is used.

import { useQueryClient } from '@tanstack/react-query'
import { History, Plus, RefreshCw, Shapes, Trash2, Type } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { at, send } from '../api/client.ts'
import { assetFile, useAssets } from '../api/configurations.ts'
import { isOfEvent, useEvent } from '../api/event.ts'
import { useMay } from '../api/session.ts'
import type { Asset } from '../api/shapes.ts'
import { AddAssets } from '../asset/add-assets.tsx'
import { AssetVersions } from '../asset/asset-versions.tsx'
import { ReplaceAsset } from '../asset/replace-asset.tsx'
import { facts } from '../format/size.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { Media } from '../parts/media.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Ago } from '../parts/time.tsx'
import { announce } from '../parts/toast.tsx'
import { configurationPage } from '../places.ts'
import { t } from '../words/t.ts'

export function Assets() {
  const may = useMay('write')
  const assets = useAssets()
  const event = useEvent()
  const shown = assets.data?.filter(one => isOfEvent(event, one))
  const [adding, setAdding] = useState(false)
  return (
    <Page
      title={t('Assets')}
      about={t('Frames, backgrounds, sounds and fonts that configurations use by name.')}
      actions={
        may && (
          <Button look="primary" icon={Plus} onClick={() => setAdding(true)}>
            {t('Add assets')}
          </Button>
        )
      }
    >
      {assets.isPending && (
        <Card>
          <Loading />
        </Card>
      )}
      {assets.isError && <ErrorNote error={assets.error} retry={() => void assets.refetch()} />}
      {shown?.length === 0 && (
        <Card>
          <Empty
            icon={Shapes}
            title={t('No assets yet')}
            actions={
              may && (
                <Button look="primary" icon={Plus} onClick={() => setAdding(true)}>
                  {t('Add the first')}
                </Button>
              )
            }
          >
            {t(
              'An overlay to lay over videos, a background for a frame, a jingle, a font: upload it once, name it in configurations.',
            )}
          </Empty>
        </Card>
      )}
      <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3 2xl:grid-cols-4">
        {shown?.map(asset => (
          <li key={asset.name}>
            <AssetCard asset={asset} may={may} />
          </li>
        ))}
      </ul>
      {adding && <AddAssets onClose={() => setAdding(false)} />}
    </Page>
  )
}

function AssetCard({ asset, may }: { asset: Asset; may: boolean }) {
  const client = useQueryClient()
  const [dialog, setDialog] = useState<'replace' | 'delete' | 'versions' | null>(null)
  const undelete = async () => {
    await send('POST', at('asset', asset.name, 'undelete'))
    await client.invalidateQueries({ queryKey: ['asset'] })
    announce(t('{name} is back.', { name: asset.name }))
  }
  const src = assetFile(asset.name, asset.sha256)
  return (
    <Card className="flex h-full flex-col overflow-clip">
      <div className="grid h-44 place-items-center overflow-hidden border-b border-line bg-well">
        {asset.mime.includes('font') || asset.sha256 === undefined ? (
          <Type aria-hidden className="size-10 text-soft" />
        ) : (
          <Media src={src} mime={asset.mime} label={asset.name} className="max-h-44 object-contain" />
        )}
      </div>
      <div className="flex flex-1 flex-col gap-1 p-4">
        <h2 dir="auto" className="text-[16px] [overflow-wrap:anywhere]">
          {asset.name}
        </h2>
        <p className="text-[13.5px] text-soft">{facts(asset)}</p>
        <p className="text-[13.5px] text-soft">
          {t('{experience} · changed {when}', {
            experience: asset.experience_id ?? t('Shared by all experiences'),
            when: <Ago at={asset.updated_at} />,
          })}
        </p>
        <p className="mt-1 text-[14px]">
          {asset.used_by.length === 0 ? (
            <span className="text-soft">{t('Used by nothing')}</span>
          ) : (
            <>
              {t('Used by')}{' '}
              {asset.used_by.map((name, at) => (
                <span key={name}>
                  {at > 0 && ', '}
                  <Link
                    to={configurationPage(name)}
                    dir="auto"
                    className="underline underline-offset-2 [overflow-wrap:anywhere]"
                  >
                    {name}
                  </Link>
                </span>
              ))}
            </>
          )}
        </p>
        <div className="mt-auto flex justify-end gap-1 pt-2">
          <IconButton
            icon={History}
            label={t('Versions of {name}', { name: asset.name })}
            onClick={() => setDialog('versions')}
          />
          {may && (
            <>
              <IconButton
                icon={RefreshCw}
                label={t('Replace the file of {name}', { name: asset.name })}
                onClick={() => setDialog('replace')}
              />
              <IconButton
                icon={Trash2}
                label={t('Delete {name}', { name: asset.name })}
                onClick={() => setDialog('delete')}
              />
            </>
          )}
        </div>
      </div>
      {dialog === 'replace' && <ReplaceAsset asset={asset} src={src} onClose={() => setDialog(null)} />}
      {dialog === 'versions' && <AssetVersions asset={asset} may={may} onClose={() => setDialog(null)} />}
      <Confirm
        title={t('Delete {name}?', { name: asset.name })}
        about={t(
          'Tasks under way keep the file they began with. A configuration that names it must be changed first. For 30 days it can be taken back.',
        )}
        action={t('Delete it')}
        open={dialog === 'delete'}
        onClose={() => setDialog(null)}
        onConfirm={async () => {
          await send('DELETE', at('asset', asset.name))
          announce(t('{name} is deleted.', { name: asset.name }), { label: t('Undo'), run: undelete })
          await client.invalidateQueries({ queryKey: ['asset'] })
        }}
      />
    </Card>
  )
}

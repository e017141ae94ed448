// Assets: frames, backgrounds, sounds and fonts that configurations name; with a preview and where each is used.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Plus, RefreshCw, Shapes, Trash2, Type } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import { at, fieldMessage, send } from '../api/client.ts'
import { assetFile, useAssets, useExperiences } from '../api/configurations.ts'
import { useMay } from '../api/session.ts'
import type { Asset } from '../api/shapes.ts'
import { facts } from '../format/size.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { Confirm, Dialog } from '../parts/dialog.tsx'
import { Dropzone } from '../parts/dropzone.tsx'
import { CheckField, TextField } from '../parts/field.tsx'
import { Media } from '../parts/media.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Ago } from '../parts/time.tsx'
import { announce } from '../parts/toast.tsx'
import { configurationPage } from '../places.ts'

export function Assets() {
  const may = useMay('write')
  const assets = useAssets()
  const [adding, setAdding] = useState(false)
  return (
    <Page
      title="Assets"
      about="Frames, backgrounds, sounds and fonts that configurations use by name."
      actions={
        may && (
          <Button look="primary" icon={Plus} onClick={() => setAdding(true)}>
            Add an asset
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
      {assets.data?.length === 0 && (
        <Card>
          <Empty
            icon={Shapes}
            title="No assets yet"
            actions={
              may && (
                <Button look="primary" icon={Plus} onClick={() => setAdding(true)}>
                  Add the first
                </Button>
              )
            }
          >
            An overlay to lay over videos, a background for a frame, a jingle, a font: upload it once, name it in
            configurations.
          </Empty>
        </Card>
      )}
      <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3 2xl:grid-cols-4">
        {assets.data?.map(asset => (
          <li key={asset.name}>
            <AssetCard asset={asset} may={may} />
          </li>
        ))}
      </ul>
      {adding && <AddAsset onClose={() => setAdding(false)} />}
    </Page>
  )
}

function AssetCard({ asset, may }: { asset: Asset; may: boolean }) {
  const client = useQueryClient()
  const [dialog, setDialog] = useState<'replace' | 'delete' | null>(null)
  // The end of the address changes with the content, so a replaced file is fetched anew.
  const src = `${assetFile(asset.name)}#${asset.sha256?.slice(0, 12) ?? ''}`
  return (
    <Card className="flex h-full flex-col overflow-clip">
      <div className="chequer grid h-44 place-items-center overflow-hidden border-b border-line">
        {asset.mime.includes('font') || asset.sha256 === undefined ? (
          <Type aria-hidden className="size-10 text-soft" />
        ) : (
          <Media src={src} mime={asset.mime} label={asset.name} className="max-h-44 object-contain" />
        )}
      </div>
      <div className="flex flex-1 flex-col gap-1 p-4">
        <h2 className="text-[16px] [overflow-wrap:anywhere]">{asset.name}</h2>
        <p className="text-[13.5px] text-soft">{facts(asset)}</p>
        <p className="text-[13.5px] text-soft">
          {asset.experience_id ?? 'Shared by all experiences'} · changed <Ago at={asset.updated_at} />
        </p>
        <p className="mt-1 text-[14px]">
          {asset.used_by.length === 0 ? (
            <span className="text-soft">Used by nothing</span>
          ) : (
            <>
              Used by{' '}
              {asset.used_by.map((name, at) => (
                <span key={name}>
                  {at > 0 && ', '}
                  <Link to={configurationPage(name)} className="underline underline-offset-2 [overflow-wrap:anywhere]">
                    {name}
                  </Link>
                </span>
              ))}
            </>
          )}
        </p>
        {may && (
          <div className="mt-auto flex justify-end gap-1 pt-2">
            <IconButton
              icon={RefreshCw}
              label={`Replace the file of ${asset.name}`}
              onClick={() => setDialog('replace')}
            />
            <IconButton icon={Trash2} label={`Delete ${asset.name}`} onClick={() => setDialog('delete')} />
          </div>
        )}
      </div>
      {dialog === 'replace' && <ReplaceAsset asset={asset} onClose={() => setDialog(null)} />}
      <Confirm
        title={`Delete ${asset.name}?`}
        about="Tasks under way keep the file they began with. A configuration that names it must be changed first."
        action="Delete it"
        open={dialog === 'delete'}
        onClose={() => setDialog(null)}
        onConfirm={async () => {
          await send('DELETE', at('asset', asset.name))
          announce(`${asset.name} is deleted.`)
          await client.invalidateQueries({ queryKey: ['asset'] })
        }}
      />
    </Card>
  )
}

function ReplaceAsset({ asset, onClose }: { asset: Asset; onClose(): void }) {
  const client = useQueryClient()
  const replace = useMutation({
    mutationFn: (file: File) => {
      const form = new FormData()
      form.set('file', file)
      return send<Asset>('PUT', at('asset', asset.name), form)
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['asset'] })
      announce(`${asset.name} has its new file.`)
      onClose()
    },
  })
  return (
    <Dialog
      title={`Replace ${asset.name}`}
      about="New tasks use the new file at once; tasks under way keep the old one."
      open
      onClose={onClose}
    >
      <div className="space-y-4">
        <Dropzone
          label={replace.isPending ? 'Uploading…' : 'Drop the new file here'}
          disabled={replace.isPending}
          onFile={file => replace.mutate(file)}
        />
        {replace.isError && <ErrorNote error={replace.error} />}
      </div>
    </Dialog>
  )
}

function AddAsset({ onClose }: { onClose(): void }) {
  const client = useQueryClient()
  const experiences = useExperiences()
  const [file, setFile] = useState<File | null>(null)
  const [name, setName] = useState('')
  const [experience, setExperience] = useState('')
  const [shared, setShared] = useState(false)
  const add = useMutation({
    mutationFn: () => {
      const form = new FormData()
      form.set('name', name.trim())
      form.set('experience_id', shared ? '' : experience.trim())
      if (file) form.set('file', file)
      return send<Asset>('POST', at('asset'), form)
    },
    onSuccess: async asset => {
      await client.invalidateQueries({ queryKey: ['asset'] })
      announce(`${asset.name} is there.`)
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate()
  }
  return (
    <Dialog title="Add an asset" open onClose={onClose}>
      <form onSubmit={submit} className="space-y-4">
        <Dropzone
          label={file ? 'The file' : 'Drop a file here'}
          hint="Picture, video, sound, font or LUT"
          file={file}
          onFile={picked => {
            setFile(picked)
            if (!name) setName(picked.name)
          }}
        />
        <TextField
          label="Name"
          required
          value={name}
          onChange={event => setName(event.target.value)}
          help="Configurations use it by this name."
          error={fieldMessage(add.error, 'name')}
        />
        <TextField
          label="Experience"
          required={!shared}
          disabled={shared}
          list="experiences"
          value={shared ? '' : experience}
          onChange={event => setExperience(event.target.value)}
          error={fieldMessage(add.error, 'experience_id')}
        />
        <datalist id="experiences">
          {experiences.data?.map(({ experience_id }) => (
            <option key={experience_id} value={experience_id} />
          ))}
        </datalist>
        <CheckField
          label="Shared by all experiences"
          checked={shared}
          onChange={event => setShared(event.target.checked)}
        />
        {add.isError && <ErrorNote error={add.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Back</Button>
          <Button type="submit" look="primary" busy={add.isPending} disabled={!file}>
            Upload
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

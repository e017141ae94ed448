// A configuration taken elsewhere: as JSON, as curl, as YAML; or taken away.

import { useQueryClient } from '@tanstack/react-query'
import { Code2, Copy, FileDown, History, Terminal, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { at, send } from '../api/client.ts'
import { writable } from '../api/configurations.ts'
import type { Configuration } from '../api/shapes.ts'
import { curlForConfiguration, curlForTask } from '../format/curl.ts'
import { Button, LinkButton } from '../parts/button.tsx'
import { Confirm, Dialog } from '../parts/dialog.tsx'
import { download } from '../parts/download.ts'
import { Code, JsonCode } from '../parts/json.tsx'
import { t } from '../words/t.ts'
import { deletedState } from './deleted-note.tsx'
import { Versions } from './versions.tsx'
import { toYaml } from './yaml.ts'

export function Share({
  configuration,
  may,
  tag,
}: {
  configuration: Configuration
  may: boolean
  /** Of the state on screen: only that one is deleted or replaced. */
  tag: string | null
}) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [open, setOpen] = useState<'json' | 'curl' | 'delete' | 'versions' | null>(null)
  const name = configuration.configuration_name
  const body = writable(configuration)
  return (
    <>
      <Button icon={History} onClick={() => setOpen('versions')}>
        {t('Versions')}
      </Button>
      {may && (
        <LinkButton icon={Copy} to={`/configurations/new?copy=${encodeURIComponent(name)}`}>
          {t('Duplicate')}
        </LinkButton>
      )}
      <Button icon={Code2} onClick={() => setOpen('json')}>
        JSON
      </Button>
      <Button icon={Terminal} onClick={() => setOpen('curl')}>
        curl
      </Button>
      <Button icon={FileDown} onClick={() => void toYaml([configuration]).then(yaml => download(`${name}.yaml`, yaml))}>
        YAML
      </Button>
      {may && (
        <Button icon={Trash2} look="danger" onClick={() => setOpen('delete')}>
          {t('Delete')}
        </Button>
      )}
      {open === 'versions' && (
        <Versions name={name} current={configuration} tag={tag} may={may} onClose={() => setOpen(null)} />
      )}
      <Dialog title={t('As JSON')} open={open === 'json'} wide onClose={() => setOpen(null)}>
        <JsonCode label={t('Configuration')} value={body} />
      </Dialog>
      <Dialog
        title={t('From a shell')}
        about={t('KEEPSAKE_TOKEN holds one of your tokens.')}
        open={open === 'curl'}
        wide
        onClose={() => setOpen(null)}
      >
        <div className="space-y-4">
          <Code label={t('Run a task')} text={curlForTask(window.location.origin, name, {})} />
          <Code label={t('Make this configuration')} text={curlForConfiguration(window.location.origin, body)} />
        </div>
      </Dialog>
      <Confirm
        title={t('Delete “{name}”?', { name })}
        about={t(
          'Tasks under way run on as they began. A chain that names it must be changed first. It can be brought back for 30 days.',
        )}
        action={t('Delete it')}
        open={open === 'delete'}
        onClose={() => setOpen(null)}
        onConfirm={async () => {
          await send('DELETE', at('configuration', name), undefined, tag)
          await navigate('/configurations', { state: deletedState(name) })
          client.removeQueries({ queryKey: ['configuration', 'one', name] })
          await client.invalidateQueries({ queryKey: ['configuration', 'all'] })
        }}
      />
    </>
  )
}

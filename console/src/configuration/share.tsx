// A configuration taken elsewhere: as JSON, as curl, as YAML; or taken away.
import { useQueryClient } from '@tanstack/react-query'
import { Code2, FileDown, Terminal, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { at, send } from '../api/client.ts'
import { writable } from '../api/configurations.ts'
import type { Configuration } from '../api/shapes.ts'
import { curlForConfiguration, curlForTask } from '../format/curl.ts'
import { Button } from '../parts/button.tsx'
import { Confirm, Dialog } from '../parts/dialog.tsx'
import { download } from '../parts/download.ts'
import { Code, JsonCode } from '../parts/json.tsx'
import { announce } from '../parts/toast.tsx'
import { toYaml } from './yaml.ts'

export function Share({ configuration, may }: { configuration: Configuration; may: boolean }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [open, setOpen] = useState<'json' | 'curl' | 'delete' | null>(null)
  const name = configuration.configuration_name
  const body = writable(configuration)
  return (
    <>
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
          Delete
        </Button>
      )}
      <Dialog title="As JSON" open={open === 'json'} wide onClose={() => setOpen(null)}>
        <JsonCode label="Configuration" value={body} />
      </Dialog>
      <Dialog
        title="From a shell"
        about="KEEPSAKE_TOKEN holds one of your tokens."
        open={open === 'curl'}
        wide
        onClose={() => setOpen(null)}
      >
        <div className="space-y-4">
          <Code label="Run a task" text={curlForTask(window.location.origin, name, {})} />
          <Code label="Make this configuration" text={curlForConfiguration(window.location.origin, body)} />
        </div>
      </Dialog>
      <Confirm
        title={`Delete “${name}”?`}
        about="Tasks under way run on as they began. A chain that names it must be changed first."
        action="Delete it"
        open={open === 'delete'}
        onClose={() => setOpen(null)}
        onConfirm={async () => {
          await send('DELETE', at('configuration', name))
          announce(`“${name}” is deleted.`)
          await navigate('/configurations')
          client.removeQueries({ queryKey: ['configuration', 'one', name] })
          await client.invalidateQueries({ queryKey: ['configuration', 'all'] })
        }}
      />
    </>
  )
}

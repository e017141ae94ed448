// Says that the layers come from a template asset, and copies them into the configuration on demand.

import { Copy } from 'lucide-react'
import { useState } from 'react'
import { get } from '../api/client.ts'
import { assetFile } from '../api/configurations.ts'
import type { JsonObject } from '../api/shapes.ts'
import { isObject } from '../form/json-text.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { t } from '../words/t.ts'
import { layersOf } from './model/geometry.ts'
import type { Command, Layout } from './model/state.ts'

interface Props {
  template: string
  layout: Layout
  run(command: Command): void
}

export function TemplateNote({ template, layout, run }: Props) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const copy = async () => {
    setBusy(true)
    setError(null)
    try {
      const { canvas, layers } = await get<JsonObject>(assetFile(template))
      if (layout.canvas === undefined && isObject(canvas)) run({ do: 'canvas', canvas })
      run({ do: 'add', layers: layersOf(layers) })
      run({ do: 'select', ids: [] })
    } catch (refusal) {
      setError(refusal)
    } finally {
      setBusy(false)
    }
  }
  return (
    <div className="space-y-2 border-b border-line p-3 text-[14px]">
      <p>
        {t('The layers come from the template {template}. Layers that are added here come in place of all of them.', {
          template: <bdi className="font-semibold [overflow-wrap:anywhere]">{template}</bdi>,
        })}
      </p>
      <Button icon={Copy} busy={busy} onClick={() => void copy()}>
        {t('Copy its layers here to change them')}
      </Button>
      {error !== null && <ErrorNote error={error} title={t('The template could not be read')} />}
    </div>
  )
}

// All configurations by experience: what each does, how chains hang together, import and export.
import { ArrowRightLeft, FileDown, FileUp, Plus, Send, Wand2, Workflow } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { Link } from 'react-router'
import { useConfigurations } from '../api/configurations.ts'
import { useMay } from '../api/session.ts'
import type { Configuration } from '../api/shapes.ts'
import { ImportDialog } from '../configuration/import-dialog.tsx'
import { toYaml } from '../configuration/yaml.ts'
import { Button, LinkButton } from '../parts/button.tsx'
import { download } from '../parts/download.ts'
import { control } from '../parts/field.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { Card, CardTitle, Page } from '../parts/page.tsx'
import { Ago } from '../parts/time.tsx'
import { configurationPage } from '../places.ts'

export const kindOf = (configuration: Configuration) =>
  configuration.call_chain ? 'chain' : (configuration.kind ?? 'transformer')

const icons = { chain: Workflow, transformer: Wand2, destination: Send }

export function Configurations() {
  const may = useMay('write')
  const list = useConfigurations()
  const [text, setText] = useState('')
  const wanted = useDeferredValue(text.trim().toLowerCase())
  const [importing, setImporting] = useState(false)
  const shown = (list.data ?? []).filter(one =>
    JSON.stringify([one.configuration_name, one.adapter_name, one.experience_id, one.call_chain])
      .toLowerCase()
      .includes(wanted),
  )
  const groups = Map.groupBy(shown, ({ experience_id }) => experience_id)
  return (
    <Page
      title="Configurations"
      about="What is done with a file: single steps, and chains of them."
      actions={
        <>
          {may && (
            <Button icon={FileUp} onClick={() => setImporting(true)}>
              Import
            </Button>
          )}
          <Button
            icon={FileDown}
            disabled={shown.length === 0}
            onClick={() => void toYaml(shown).then(yaml => download('keepsake.yaml', yaml))}
          >
            Export
          </Button>
          {may && (
            <LinkButton to="/configurations/new?kind=chain" icon={Workflow}>
              New chain
            </LinkButton>
          )}
          {may && (
            <LinkButton look="primary" to="/configurations/new" icon={Plus}>
              New
            </LinkButton>
          )}
        </>
      }
    >
      {(list.data?.length ?? 0) > 5 && (
        <input
          type="search"
          aria-label="Filter by name, adapter or experience"
          placeholder="Filter by name, adapter or experience"
          value={text}
          onChange={event => setText(event.target.value)}
          className={`${control} mb-4 max-w-md`}
        />
      )}
      {list.isPending && (
        <Card>
          <Loading />
        </Card>
      )}
      {list.isError && <ErrorNote error={list.error} retry={() => void list.refetch()} />}
      {list.data?.length === 0 && (
        <Card>
          <Empty
            icon={Workflow}
            title="No configurations yet"
            actions={
              <>
                <LinkButton look="primary" to="/start">
                  Set up the sample
                </LinkButton>
                <LinkButton to="/configurations/new">Make one yourself</LinkButton>
              </>
            }
          >
            A configuration names a step, like “mirror the photo” or “put it into our bucket”. A chain strings several
            together.
          </Empty>
        </Card>
      )}
      {list.data && list.data.length > 0 && shown.length === 0 && (
        <p className="text-soft">Nothing matches “{text}”.</p>
      )}
      <div className="space-y-6">
        {[...groups].map(([experience, members]) => (
          <Card key={experience}>
            <CardTitle
              aside={
                <span className="text-[14px] text-soft">
                  {members.length === 1 ? '1 configuration' : `${members.length} configurations`}
                </span>
              }
            >
              {experience}
            </CardTitle>
            <ul>
              {members.map(one => (
                <Row key={one.configuration_name} configuration={one} />
              ))}
            </ul>
          </Card>
        ))}
      </div>
      {importing && <ImportDialog known={list.data ?? []} onClose={() => setImporting(false)} />}
    </Page>
  )
}

function Row({ configuration }: { configuration: Configuration }) {
  const kind = kindOf(configuration)
  const Icon = icons[kind]
  return (
    <li className="border-b border-line last:border-0">
      <Link
        to={configurationPage(configuration.configuration_name)}
        className="flex items-center gap-4 px-4 py-3 hover:bg-well"
      >
        <span className="grid size-9 shrink-0 place-items-center rounded-lg border border-line bg-well">
          <Icon aria-hidden className="size-4.5" />
        </span>
        <span className="min-w-0 flex-1">
          <span className="block truncate font-semibold">{configuration.configuration_name}</span>
          <span className="block truncate text-[13.5px] text-soft">
            {kind}:{' '}
            {configuration.call_chain
              ? configuration.call_chain.map(([name]) => name).join(' → ')
              : configuration.adapter_name}
          </span>
        </span>
        {configuration.webhook_url && (
          <span
            title={configuration.webhook_url}
            className="hidden items-center gap-1.5 text-[13px] text-soft md:inline-flex"
          >
            <ArrowRightLeft aria-hidden className="size-3.5" /> webhook
          </span>
        )}
        {configuration.updated_at && (
          <Ago at={configuration.updated_at} className="text-[13.5px] whitespace-nowrap text-soft" />
        )}
      </Link>
    </li>
  )
}

// All configurations by experience: what each does, how chains hang together, import and export.

import { ArrowRightLeft, Copy, FileDown, FileUp, Plus, Send, Wand2, Workflow } from 'lucide-react'
import { Fragment, useDeferredValue, useState } from 'react'
import { Link } from 'react-router'
import { useConfigurations } from '../api/configurations.ts'
import { isOfEvent, useEvent } from '../api/event.ts'
import { useMay } from '../api/session.ts'
import type { Configuration } from '../api/shapes.ts'
import { adapterPicture } from '../chain/pictures.ts'
import { DeletedNote } from '../configuration/deleted-note.tsx'
import { ImportDialog } from '../configuration/import-dialog.tsx'
import { toYaml } from '../configuration/yaml.ts'
import { useRecent } from '../experience/numbers.tsx'
import { adapterTitle } from '../form/words.ts'
import { Button, LinkButton } from '../parts/button.tsx'
import { download } from '../parts/download.ts'
import { control } from '../parts/field.tsx'
import { Thumb } from '../parts/media.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { Card, CardTitle, Page } from '../parts/page.tsx'
import { Ago } from '../parts/time.tsx'
import { configurationPage } from '../places.ts'
import { outputThumbnail } from '../task/outputs.ts'
import { t, tn } from '../words/t.ts'

export const kindOf = (configuration: Configuration) =>
  configuration.call_chain ? 'chain' : (configuration.kind ?? 'transformer')

export const kindWords = { chain: t('chain'), transformer: t('transformer'), destination: t('destination') }
const icons = { chain: Workflow, transformer: Wand2, destination: Send }

export function Configurations() {
  const may = useMay('write')
  const list = useConfigurations()
  const [text, setText] = useState('')
  const wanted = useDeferredValue(text.trim().toLowerCase())
  const [importing, setImporting] = useState(false)
  const event = useEvent()
  const ofEvent = (list.data ?? []).filter(one => isOfEvent(event, one))
  const shown = ofEvent.filter(one =>
    JSON.stringify([one.configuration_name, one.adapter_name, one.experience_id, one.call_chain])
      .toLowerCase()
      .includes(wanted),
  )
  const groups = Map.groupBy(shown, ({ experience_id }) => experience_id)
  return (
    <Page
      title={t('Configurations')}
      about={t('What is done with a file: single steps, and chains of them.')}
      actions={
        <>
          {may && (
            <Button icon={FileUp} onClick={() => setImporting(true)}>
              {t('Import')}
            </Button>
          )}
          <Button
            icon={FileDown}
            disabled={shown.length === 0}
            onClick={() => void toYaml(shown).then(yaml => download('keepsake.yaml', yaml))}
          >
            {t('Export')}
          </Button>
          {may && (
            <LinkButton to="/configurations/new?kind=chain" icon={Workflow}>
              {t('New chain')}
            </LinkButton>
          )}
          {may && (
            <LinkButton look="primary" to="/configurations/new" icon={Plus}>
              {t('New')}
            </LinkButton>
          )}
        </>
      }
    >
      <DeletedNote />
      {(list.data?.length ?? 0) > 5 && (
        <input
          type="search"
          aria-label={t('Filter by name, adapter or experience')}
          placeholder={t('Filter by name, adapter or experience')}
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
            title={t('No configurations yet')}
            actions={
              <>
                <LinkButton look="primary" to="/start">
                  {t('Set up the sample')}
                </LinkButton>
                <LinkButton to="/configurations/new">{t('Make one yourself')}</LinkButton>
              </>
            }
          >
            {t(
              'A configuration names a step, like “mirror the photo” or “put it into our bucket”. A chain strings several together.',
            )}
          </Empty>
        </Card>
      )}
      {list.data && list.data.length > 0 && shown.length === 0 && (
        <p className="text-soft">{t('Nothing matches “{text}”.', { text })}</p>
      )}
      <div className="space-y-6">
        {[...groups].map(([experience, members]) => (
          <Card key={experience}>
            <CardTitle
              aside={
                <span className="text-[14px] text-soft">
                  {tn(members.length, '1 configuration', '{count} configurations', { count: members.length })}
                </span>
              }
            >
              {experience ?? t('For all experiences')}
            </CardTitle>
            <ul>
              {members.map(one => (
                <Row key={one.configuration_name} configuration={one} may={may} />
              ))}
            </ul>
          </Card>
        ))}
      </div>
      {importing && <ImportDialog known={list.data ?? []} onClose={() => setImporting(false)} />}
    </Page>
  )
}

function Row({ configuration, may }: { configuration: Configuration; may: boolean }) {
  const kind = kindOf(configuration)
  const name = configuration.configuration_name
  return (
    <li className="flex items-center border-b border-line last:border-0">
      <Link to={configurationPage(name)} className="flex min-w-0 flex-1 items-center gap-4 px-4 py-3 hover:bg-well">
        <Face configuration={configuration} />
        <span className="min-w-0 flex-1">
          <span dir="auto" className="block truncate font-semibold">
            {name}
          </span>
          <span className="block truncate text-[13.5px] text-soft">
            {kindWords[kind]}:{' '}
            {configuration.call_chain
              ? configuration.call_chain.map(([step], at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a chain may name a step twice, and its place is its name.
                  <Fragment key={at}>
                    {at > 0 && ' → '}
                    <bdi>{step}</bdi>
                  </Fragment>
                ))
              : adapterTitle(configuration.adapter_name ?? '')}
          </span>
        </span>
        {configuration.webhook_url && (
          <span
            title={configuration.webhook_url}
            className="hidden items-center gap-1.5 text-[13px] text-soft md:inline-flex"
          >
            <ArrowRightLeft aria-hidden className="size-3.5" /> {t('webhook')}
          </span>
        )}
        {configuration.updated_at && (
          <Ago at={configuration.updated_at} className="text-[13.5px] whitespace-nowrap text-soft" />
        )}
      </Link>
      {may && (
        <Link
          to={`/configurations/new?copy=${encodeURIComponent(name)}`}
          aria-label={t('Duplicate {name}', { name })}
          title={t('Duplicate {name}', { name })}
          className="mr-2 grid size-11 shrink-0 place-items-center rounded-lg text-soft hover:bg-ink/7 hover:text-ink"
        >
          <Copy aria-hidden className="size-[18px]" />
        </Link>
      )}
    </li>
  )
}

/** The newest thing it made; else what its adapter does, as a picture. */
function Face({ configuration }: { configuration: Configuration }) {
  const kind = kindOf(configuration)
  const Icon = icons[kind]
  const newest = useRecent().data?.find(one => one.configuration === configuration.configuration_name)
  const made = newest && kind !== 'destination' ? outputThumbnail('task', newest) : null
  if (made) return <Thumb src={made} size={48} />
  const sample = adapterPicture(configuration.adapter_name ?? '')
  return (
    <span className="grid size-12 shrink-0 place-items-center overflow-hidden rounded-lg border border-line bg-well">
      {sample ? (
        <img src={sample} alt="" loading="lazy" className="size-full object-cover object-right" />
      ) : (
        <Icon aria-hidden className="size-5" />
      )}
    </span>
  )
}

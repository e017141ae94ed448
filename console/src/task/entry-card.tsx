// One entry of a task: how it stands, what came out, what was decided, and what to do when it failed.

import { ChevronRight, Download, ExternalLink, Lightbulb } from 'lucide-react'
import { Link } from 'react-router'
import type { Entry, Explanation, Json } from '../api/shapes.ts'
import { outputUrl } from '../api/tasks.ts'
import { adviceFor } from '../format/advice.ts'
import { exactly, lasted } from '../format/time.ts'
import { Code, JsonCode } from '../parts/json.tsx'
import { Media, Print } from '../parts/media.tsx'
import { Notice } from '../parts/notes.tsx'
import { Progress } from '../parts/progress.tsx'
import { Status } from '../parts/status.tsx'
import { Ago, Lasted } from '../parts/time.tsx'
import { Retracted } from '../people/retracted.tsx'
import { configurationPage } from '../places.ts'
import { t, tn } from '../words/t.ts'
import { Melted } from './melted.tsx'
import { SeenFaces } from './seen-faces.tsx'
import { outputSight, type Place } from './sights.ts'

interface Props {
  entry: Entry
  place: Place
}

export function EntryCard({ entry, place }: Props) {
  return (
    <article
      className="min-w-0 flex-1 pb-6"
      aria-label={t('Entry {index}: {configuration}', { index: entry.index, configuration: entry.configuration })}
      id={`entry-${entry.index}`}
    >
      <header className="flex min-h-[52px] flex-wrap items-center gap-x-3 gap-y-1">
        <span className="edgeprint">▸ {entry.index}</span>
        <h3 className="min-w-0 text-[17px] [overflow-wrap:anywhere]">
          <Link to={configurationPage(entry.configuration)} dir="auto" className="hover:underline">
            {entry.configuration}
          </Link>
        </h3>
        <span className="font-mono text-[12.5px] text-soft">{entry.adapter_name}</span>
        <span className="ml-auto flex items-center gap-2.5 text-[13.5px] text-soft">
          <Lasted from={entry.started_at} to={entry.ended_at} />
          <Status status={entry.status} small />
        </span>
      </header>
      <div className="space-y-3">
        {entry.status === 'Running' && (
          <Progress
            value={entry.progress > 0 ? entry.progress : null}
            label={t('Progress of {configuration}', { configuration: entry.configuration })}
          />
        )}
        {entry.seconds_left !== null && entry.seconds_left > 0 && (
          <p className="text-[13.5px] text-soft">
            {t('About {time} left', { time: lasted(entry.seconds_left * 1000) })}
          </p>
        )}
        {entry.retry_at && entry.status !== 'Succeeded' && (
          <p className="text-warn">
            {t('Waiting until {time}, then tried again ({when})', {
              time: exactly(entry.retry_at),
              when: <Ago at={entry.retry_at} />,
            })}
          </p>
        )}
        {entry.error && entry.status === 'Skipped' && <p className="text-soft">{entry.error.message}</p>}
        {entry.error && entry.status !== 'Skipped' && <Failure error={entry.error} />}
        {entry.status === 'Skipped' && !entry.error && (
          <p className="text-soft">{t('Not run, because the entry it takes its file from did not succeed.')}</p>
        )}
        {entry.warnings.map(warning => (
          <Notice key={warning}>{warning}</Notice>
        ))}
        <OutputPrint entry={entry} place={place} />
        <ResultLink entry={entry} />
        <Explained entry={entry} place={place} />
      </div>
    </article>
  )
}

function Failure({ error }: { error: { code: string; message: string } }) {
  const advice = adviceFor(error.code)
  return (
    <div className="rounded-lg border border-fail/30 bg-fail-bg px-4 py-3">
      <p className="font-semibold text-fail [overflow-wrap:anywhere]">{error.message}</p>
      <p className="mt-2 flex gap-2 text-ink">
        <Lightbulb aria-hidden className="mt-0.5 size-4.5 shrink-0" />
        <span>{advice.say}</span>
      </p>
      <p className="edgeprint mt-2 normal-case!">{error.code}</p>
    </div>
  )
}

function OutputPrint({ entry, place: { kind, taskId, within }, place }: Props) {
  const sight = outputSight(place, entry)
  if (!sight)
    return entry.status === 'Succeeded' ? (
      <Melted
        src={outputUrl(kind, taskId, ...within, entry.index)}
        label={t('What {configuration} made', { configuration: entry.configuration })}
      />
    ) : null
  return (
    <Print
      caption={
        <span className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
          <span>{sight.facts}</span>
          <a
            href={sight.src}
            download={sight.name}
            className="inline-flex items-center gap-1 font-semibold text-[#15171c] underline underline-offset-2"
          >
            <Download aria-hidden className="size-3.5" /> {t('Download')}
          </a>
        </span>
      }
    >
      <Media src={sight.src} mime={sight.mime} label={sight.label} poster={sight.poster} className="max-h-80 w-auto" />
    </Print>
  )
}

const isWeb = (value: Json | undefined): value is string => typeof value === 'string' && /^https?:\/\//.test(value)

function ResultLink({ entry: { result, retracted_at } }: { entry: Entry }) {
  const url = result?.url
  if (retracted_at !== null)
    return (
      <div>
        <Retracted at={retracted_at} />
        {isWeb(url) && <p className="mt-1 text-soft line-through [overflow-wrap:anywhere]">{url}</p>}
      </div>
    )
  if (!isWeb(url)) return null
  return (
    <p>
      <a
        href={url}
        target="_blank"
        rel="noopener noreferrer"
        className="inline-flex items-center gap-1.5 underline underline-offset-3 [overflow-wrap:anywhere]"
      >
        <ExternalLink aria-hidden className="size-4 shrink-0" />
        {url}
      </a>
    </p>
  )
}

function Explained({ entry, place }: Props) {
  const { result } = entry
  const explanation = entry.explanation as Explanation | null
  const decisions = explanation?.decisions ?? []
  const seen = explanation?.seen ?? []
  const command = explanation?.command
  if (!explanation && !result) return null
  return (
    <details className="group">
      <summary className="inline-flex list-none items-center gap-1 rounded text-[14px] font-semibold text-soft hover:text-ink">
        <ChevronRight aria-hidden className="size-4 transition-transform group-open:rotate-90" />
        {t('What was done')}
        {decisions.length > 0 && ` (${tn(decisions.length, '1 decision', '{count} decisions')})`}
      </summary>
      <div className="mt-2 space-y-3">
        {decisions.length > 0 && (
          <ul className="list-disc space-y-0.5 pl-5">
            {decisions.map(decision => (
              <li key={decision}>{decision}</li>
            ))}
          </ul>
        )}
        {seen.length > 0 && <SeenFaces entry={entry} seen={seen} place={place} />}
        {command && command.length > 0 && (
          <Code
            label={t('Exact command')}
            text={typeof command === 'string' ? command : command.map(shellWord).join(' ')}
          />
        )}
        <Pairs
          label={t('Timings')}
          pairs={explanation?.timings}
          show={value => (typeof value === 'number' ? lasted(value) : String(value))}
        />
        <Pairs label={t('Versions')} pairs={explanation?.versions} show={String} />
        {result && <JsonCode label={t('Result')} value={result} />}
      </div>
    </details>
  )
}

const shellWord = (word: string): string =>
  /^[\w@%+=:,./{}-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

function Pairs({
  label,
  pairs,
  show,
}: {
  label: string
  pairs: Entry['result'] | undefined
  show(value: Json): string
}) {
  const list = Object.entries(pairs ?? {})
  if (list.length === 0) return null
  return (
    <div>
      <p className="edgeprint mb-1">{label}</p>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 font-mono text-[12.5px]">
        {list.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-soft">{name}</dt>
            <dd className="[overflow-wrap:anywhere]">{show(value)}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

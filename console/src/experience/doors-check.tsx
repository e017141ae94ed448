// "Check before doors open": every configuration of an experience proves that it would work, in green and red lines.

import { useMutation } from '@tanstack/react-query'
import { CheckCircle2, DoorOpen, LoaderCircle, TriangleAlert, XCircle } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { sentence } from '../api/client.ts'
import { check, useConfigurations } from '../api/configurations.ts'
import type { CheckLine } from '../api/shapes.ts'
import { labelOf } from '../form/words.ts'
import { Button } from '../parts/button.tsx'
import { Card, CardTitle } from '../parts/page.tsx'
import { configurationPage } from '../places.ts'
import { t, tn } from '../words/t.ts'

type Lines = CheckLine[] | 'checking'

export function DoorsCheck({ experienceId }: { experienceId: string }) {
  const configurations = useConfigurations()
  const names = (configurations.data ?? [])
    .filter(({ experience_id }) => experience_id === experienceId)
    .map(({ configuration_name }) => configuration_name)
  const [results, setResults] = useState<Record<string, Lines>>({})
  const run = useMutation({
    mutationFn: async () => {
      setResults({})
      // One after the other: a check may talk to a slow target, and twenty at once would not be kind to it.
      for (const name of names) {
        setResults(before => ({ ...before, [name]: 'checking' }))
        const lines = await check(name).then(
          answer => answer.lines,
          error => [{ ok: false, what: t('The check itself'), detail: sentence(error) }],
        )
        setResults(before => ({ ...before, [name]: lines }))
      }
    },
  })
  const all = Object.values(results).flatMap(lines => (lines === 'checking' ? [] : lines))
  const red = all.filter(({ ok }) => !ok).length
  const open = all.filter(({ ok, needs }) => ok && needs).length
  return (
    <Card>
      <CardTitle
        aside={
          <Button
            look="primary"
            icon={DoorOpen}
            busy={run.isPending}
            disabled={names.length === 0}
            onClick={() => run.mutate()}
          >
            {t('Check now')}
          </Button>
        }
      >
        {t('Before doors open')}
      </CardTitle>
      <div aria-live="polite">
        {run.isSuccess && (
          <p
            className={`flex items-center gap-2.5 border-b border-line px-4 py-3 font-semibold ${red ? 'bg-fail-bg text-fail' : open ? 'bg-warn-bg text-warn' : 'bg-ok-bg text-ok'}`}
          >
            {red ? (
              <XCircle aria-hidden className="size-5" />
            ) : open ? (
              <TriangleAlert aria-hidden className="size-5" />
            ) : (
              <CheckCircle2 aria-hidden className="size-5" />
            )}
            {red === 0
              ? open === 0
                ? t('All green. The doors may open.')
                : t('The doors may open, if every task brings along what is marked.')
              : tn(
                  red,
                  'One thing needs a hand before the doors open.',
                  '{count} things need a hand before the doors open.',
                  { count: red },
                )}
          </p>
        )}
        {names.length === 0 && <p className="p-4 text-soft">{t('This experience has no configurations to check.')}</p>}
        <ul>
          {names.map(name => (
            <li key={name} className="border-b border-line px-4 py-3 last:border-0">
              <Link
                to={configurationPage(name)}
                dir="auto"
                className="font-semibold hover:underline [overflow-wrap:anywhere]"
              >
                {name}
              </Link>
              <CheckLines lines={results[name]} />
            </li>
          ))}
        </ul>
      </div>
    </Card>
  )
}

export function CheckLines({ lines }: { lines: Lines | undefined }) {
  if (!lines) return <p className="text-[14px] text-soft">{t('not checked yet')}</p>
  if (lines === 'checking')
    return (
      <p className="flex items-center gap-2 text-[14px] text-run">
        <LoaderCircle aria-hidden className="size-4 animate-spin" /> {t('checking')}
      </p>
    )
  return (
    <ul className="mt-1 space-y-1">
      {lines.map(({ ok, what, detail, needs }) => (
        <li key={what + detail} className="flex gap-2 text-[14.5px]">
          {ok && needs ? (
            <TriangleAlert aria-hidden className="mt-0.5 size-4.5 shrink-0 text-warn" />
          ) : ok ? (
            <CheckCircle2 aria-hidden className="mt-0.5 size-4.5 shrink-0 text-ok" />
          ) : (
            <XCircle aria-hidden className="mt-0.5 size-4.5 shrink-0 text-fail" />
          )}
          <span className="min-w-0 [overflow-wrap:anywhere]">
            <span className="sr-only">{ok ? (needs ? t('To be brought along:') : t('Good:')) : t('Not good:')} </span>
            <span className={ok ? (needs ? 'font-semibold text-warn' : '') : 'font-semibold text-fail'}>{what}</span>{' '}
            <span className="text-soft">
              {needs
                ? t('{label} ({option}) is empty in the step “{configuration}”: it comes with the task’s extras.', {
                    label: labelOf(needs.option),
                    option: needs.option,
                    configuration: needs.configuration,
                  })
                : detail}
            </span>
          </span>
        </li>
      ))}
    </ul>
  )
}

// "Check before doors open": every configuration of an experience proves that it would work, in green and red lines.
import { useMutation } from '@tanstack/react-query'
import { CheckCircle2, DoorOpen, LoaderCircle, XCircle } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { sentence } from '../api/client.ts'
import { check, useConfigurations } from '../api/configurations.ts'
import type { CheckLine } from '../api/shapes.ts'
import { Button } from '../parts/button.tsx'
import { Card, CardTitle } from '../parts/page.tsx'
import { configurationPage } from '../places.ts'

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
          error => [{ ok: false, what: 'The check itself', detail: sentence(error) }],
        )
        setResults(before => ({ ...before, [name]: lines }))
      }
    },
  })
  const all = Object.values(results).flatMap(lines => (lines === 'checking' ? [] : lines))
  const red = all.filter(({ ok }) => !ok).length
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
            Check now
          </Button>
        }
      >
        Before doors open
      </CardTitle>
      <div aria-live="polite">
        {run.isSuccess && (
          <p
            className={`flex items-center gap-2.5 border-b border-line px-4 py-3 font-semibold ${red ? 'bg-fail-bg text-fail' : 'bg-ok-bg text-ok'}`}
          >
            {red ? <XCircle aria-hidden className="size-5" /> : <CheckCircle2 aria-hidden className="size-5" />}
            {red === 0
              ? 'All green. The doors may open.'
              : red === 1
                ? 'One thing needs a hand before the doors open.'
                : `${red} things need a hand before the doors open.`}
          </p>
        )}
        {names.length === 0 && <p className="p-4 text-soft">This experience has no configurations to check.</p>}
        <ul>
          {names.map(name => (
            <li key={name} className="border-b border-line px-4 py-3 last:border-0">
              <Link to={configurationPage(name)} className="font-semibold hover:underline [overflow-wrap:anywhere]">
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
  if (!lines) return <p className="text-[14px] text-soft">not checked yet</p>
  if (lines === 'checking')
    return (
      <p className="flex items-center gap-2 text-[14px] text-run">
        <LoaderCircle aria-hidden className="size-4 animate-spin" /> checking
      </p>
    )
  return (
    <ul className="mt-1 space-y-1">
      {lines.map(({ ok, what, detail }) => (
        <li key={what + detail} className="flex gap-2 text-[14.5px]">
          {ok ? (
            <CheckCircle2 aria-hidden className="mt-0.5 size-4.5 shrink-0 text-ok" />
          ) : (
            <XCircle aria-hidden className="mt-0.5 size-4.5 shrink-0 text-fail" />
          )}
          <span className="min-w-0 [overflow-wrap:anywhere]">
            <span className="sr-only">{ok ? 'Good: ' : 'Not good: '}</span>
            <span className={ok ? '' : 'font-semibold text-fail'}>{what}</span>
            {detail && <span className="text-soft"> {detail}</span>}
          </span>
        </li>
      ))}
    </ul>
  )
}

// A chaos run as a table: what was done to it, what came of it, and what was looked at.
import { names, wordsOf } from './disturb.ts'
import type { ChaosReport } from './run.ts'

/** So many complaints of each kind are told. */
const MOST = 8

export function tableOf({ seconds, disturbed, facts, checks }: ChaosReport, seed: number): string {
  const row = (...cells: (string | number)[]) => `| ${cells.join(' | ')} |`
  return [
    row('what was done', 'times'),
    row('---', '---'),
    ...names.filter(name => disturbed[name] > 0).map(name => row(wordsOf(name), disturbed[name])),
    '',
    row('what came of it', 'count'),
    row('---', '---'),
    ...Object.entries(facts).map(([what, count]) => row(what, count)),
    row('seconds, with all that had to be waited for', Math.round(seconds)),
    row('seed', seed),
    '',
    row('what must be true', 'exceptions'),
    row('---', '---'),
    ...checks.map(({ what, complaints }) => row(what, complaints.length)),
    ...checks.flatMap(({ what, complaints }) =>
      complaints.length === 0 ? [] : ['', `NOT SO: ${what}`, ...complaints.slice(0, MOST).map(line => `  ${line}`)],
    ),
  ].join('\n')
}

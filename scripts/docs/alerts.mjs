// The table of alerts, from the rules that Prometheus reads.
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

const file = new URL('../../deploy/prometheus/alerts.yaml', import.meta.url)

export function alertsTable() {
  const { groups } = parse(readFileSync(file, 'utf8'))
  return [
    '| alert | when | for | expression |',
    '|---|---|---|---|',
    ...groups
      .flatMap(({ rules }) => rules)
      .map(
        ({ alert, annotations, for: lasting = '', expr }) =>
          `| \`${alert}\` | ${annotations.summary} | ${lasting} | \`${expr.replaceAll('|', '\\|')}\` |`,
      ),
  ].join('\n')
}

// The dashboard and the alert rules: every expression is PromQL, and names only metrics and labels that there are.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parser } from '@prometheus-io/lezer-promql'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { parse } from 'yaml'
import { metricList } from '#kit/telemetry/metric-list.ts'
import { root } from '../support/markdown.ts'

interface Rule {
  alert: string
  expr: string
  for?: string
  labels: { severity: string }
  annotations: { summary: string; description: string }
}

interface Panel {
  id: number
  type: string
  title: string
  description?: string
  gridPos: { h: number; w: number; x: number; y: number }
  targets?: { expr: string; legendFormat: string }[]
}

const rules: Rule[] = parse(readFileSync(`${root}deploy/prometheus/alerts.yaml`, 'utf8')).groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
)
const dashboard = JSON.parse(readFileSync(`${root}deploy/grafana/keepsake.json`, 'utf8'))
const panels: Panel[] = dashboard.panels

const process = new Registry()
collectDefaultMetrics({ register: process })
/** Name, type and labels of all that can be served. */
const known = new Map<string, { type: string; labels: string[] }>()
for (const { name, type } of await process.getMetricsAsJSON()) known.set(name, { type: String(type), labels: [] })
for (const { name, type, labels } of Object.values(metricList)) known.set(name, { type, labels: Object.keys(labels) })
/** Prometheus adds these to every series. */
const scraped = ['job', 'instance']

/** All nodes of an expression: their kind, their text, and the calls they stand in. */
function nodesOf(expr: string): { name: string; text: string; inside: string[] }[] {
  const nodes: { name: string; text: string; inside: string[] }[] = []
  const open: string[] = []
  parser.parse(expr).iterate({
    enter(node) {
      nodes.push({
        name: node.type.isError ? 'error' : node.name,
        text: expr.slice(node.from, node.to),
        inside: [...open],
      })
      const called = /^\s*(\w+)/.exec(expr.slice(node.from, node.to))?.[1] ?? ''
      open.push(node.name === 'FunctionCall' ? called : '')
    },
    leave: () => void open.pop(),
  })
  return nodes
}

const withoutVariables = (expr: string): string => expr.replaceAll('$__rate_interval', '5m')

const expressions = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, withoutVariables(expr)] as const)),
]

test('every expression is PromQL', () => {
  assert.ok(expressions.length > 40)
  assert.ok(
    nodesOf('sum(rate(a[5m])').some(({ name }) => name === 'error'),
    'a bracket that is missing is seen',
  )
  for (const [where, expr] of expressions)
    assert.ok(!nodesOf(expr).some(({ name }) => name === 'error'), `${where}: ${expr}`)
})

test('every metric that is named exists, and is used as its type is', () => {
  for (const [where, expr] of expressions) {
    const named = nodesOf(expr).filter(
      ({ name, text }) => name === 'Identifier' && /^(keepsake|nodejs|process)_/.test(text),
    )
    assert.ok(named.length > 0, `${where}: ${expr}`)
    for (const { text, inside } of named) {
      const base = known.has(text) ? text : text.replace(/_(bucket|sum|count)$/, '')
      const metric = known.get(base)
      assert.ok(metric, `${where}: ${text} is a metric`)
      const isSeries = base === text ? metric.type !== 'histogram' : metric.type === 'histogram'
      assert.ok(isSeries, `${where}: ${text} is a series of a ${metric.type}`)
      const isRated = inside.some(call => call === 'rate' || call === 'increase')
      assert.equal(isRated, metric.type !== 'gauge', `${where}: ${text} is a ${metric.type}`)
    }
  }
})

test('every label that is named is one of its metric', () => {
  for (const [where, expr] of expressions) {
    const nodes = nodesOf(expr)
    const names = nodes.filter(({ name }) => name === 'Identifier').map(({ text }) => text)
    const labels = names.flatMap(
      text => known.get(text)?.labels ?? known.get(text.replace(/_(bucket|sum|count)$/, ''))?.labels ?? [],
    )
    for (const { text } of nodes.filter(({ name }) => name === 'LabelName'))
      assert.ok([...labels, ...scraped, 'le'].includes(text), `${where}: ${text} in ${expr}`)
  }
})

test('rules have a name of their own, a severity and sentences', () => {
  assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length)
  for (const { alert, for: lasting = '1m', labels, annotations } of rules) {
    assert.match(alert, /^Keepsake[A-Z]\w+$/)
    assert.match(lasting, /^\d+[smh]$/)
    assert.ok(['warning', 'critical'].includes(labels.severity), alert)
    assert.ok(annotations.summary.length > 5 && /[.?]$/.test(annotations.description), alert)
  }
})

test('panels have a title and a sentence, lie side by side, and are told apart', () => {
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  const taken = new Set<string>()
  for (const { type, title, description = '', gridPos } of panels) {
    assert.ok(title.length > 2)
    if (type !== 'row') assert.ok(/[.]$/.test(description), title)
    assert.ok(gridPos.x + gridPos.w <= 24, title)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        assert.ok(!taken.has(`${x} ${y}`), `${title} covers nothing`)
        taken.add(`${x} ${y}`)
      }
  }
  assert.deepEqual(
    dashboard.templating.list.map(({ name }: { name: string }) => name),
    ['datasource', 'job', 'instance'],
  )
})

// Every statement that this process sends to a database, with what carrying it out really read: PostgreSQL tells by auto_explain.
import pg from 'pg'

export interface Statement {
  /** As it was sent, or as PostgreSQL made it for a foreign key. */
  text: string
  /** Rows that were looked at, in whatever node. */
  rows: number
  /** Pages of 8 KiB. */
  buffers: number
  /** The node that looked at the most rows. */
  worst: string
}

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  'Heap Fetches'?: number
  'Shared Hit Blocks'?: number
  'Shared Read Blocks'?: number
  Plans?: Plan[]
}

const settings = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_format': 'json',
  'auto_explain.log_level': 'notice',
}

/** From now on, of connections that are opened to this database. `stop` ends the listening. */
export async function watchStatements(url: string): Promise<{ seen: Statement[]; stop(): void }> {
  const name = new URL(url).pathname.slice(1)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const [setting, value] of Object.entries(settings))
    await client.query(`alter database ${name} set ${setting} = '${value}'`)
  await client.end()
  const seen: Statement[] = []
  const { emit } = pg.Client.prototype
  pg.Client.prototype.emit = function (this: pg.Client, event: string, ...args: unknown[]) {
    const statement = event === 'notice' ? statementOf((args[0] as Error).message) : null
    if (statement) seen.push(statement)
    return emit.call(this, event, ...args)
  } as typeof emit
  return {
    seen,
    stop() {
      pg.Client.prototype.emit = emit
    },
  }
}

function statementOf(notice: string): Statement | null {
  const [, text] = /^duration: \S+ ms {2}plan:\n(.*)$/s.exec(notice) ?? []
  if (text === undefined) return null
  const { Plan: plan, 'Query Text': query } = JSON.parse(text) as { Plan: Plan; 'Query Text': string }
  const nodes = [...nodesOf(plan)].map(node => ({ node, rows: readBy(node) }))
  const worst = nodes.reduce((most, each) => (each.rows > most.rows ? each : most))
  const { 'Node Type': type, 'Relation Name': relation = '', 'Index Name': index = '' } = worst.node
  return {
    text: query.replace(/\s+/g, ' ').trim(),
    rows: nodes.reduce((sum, { rows }) => sum + rows, 0),
    buffers: (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0),
    worst: `${[type, relation, index].filter(Boolean).join(' ')} (${worst.rows} rows)`,
  }
}

function* nodesOf(plan: Plan): Generator<Plan> {
  yield plan
  for (const inner of plan.Plans ?? []) yield* nodesOf(inner)
}

/** Entries of an index from which no row had to be fetched: hundreds lie on one page. */
const PER_INDEX_ENTRY = 1 / 20

/** What a node reads of a table or an index; those above it handle the same rows again. */
function readBy(node: Plan): number {
  if (!node['Relation Name'] && !node['Index Name']) return 0
  const rows =
    (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)) *
    node['Actual Loops']
  const isInIndex = node['Node Type'] === 'Index Only Scan' || node['Node Type'] === 'Bitmap Index Scan'
  return Math.ceil(isInIndex ? rows * PER_INDEX_ENTRY + (node['Heap Fetches'] ?? 0) : rows)
}

// The check before the doors open: would a task of this configuration work right now?
import { signatures } from '#callbacks/sign.ts'
import { sortExtras, validateDefaults } from '#configurations/options.ts'
import { currentAssets } from '#db/asset-files.ts'
import { webhookSecrets } from '#db/experiences.ts'
import { configurationsBelow } from '#db/snapshots.ts'
import type { SnapshotEntry } from '#db/tables.ts'
import { isVisible, type Visible } from '#db/visible.ts'
import { type Adapter, assetUses, type CheckLine, type DeliveryStep, isDestination } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import { newId } from '#kit/ids.ts'
import type { JsonObject } from '#kit/json.ts'
import { schemaErrors } from '#kit/schema.ts'
import { takeSnapshot } from './accept.ts'
import { redact } from './redact.ts'
import { openAuth, resolveOptions } from './resolve.ts'
import type { RunServices } from './run.ts'

const LIMIT_MS = 60_000

export interface CheckServices extends Omit<RunServices, 'workerId'> {
  /** What this machine can't do, a sentence each. */
  off(): string[]
}

/** Green and red lines for every entry, its assets and the webhook. */
export async function checkConfiguration(
  services: CheckServices,
  name: string,
  visible: Visible,
): Promise<CheckLine[]> {
  const rows = await configurationsBelow(services.db, [name])
  const root = rows.get(name)
  if (!root || !isVisible(visible, root.experience_id))
    throw new Problem('not_found', `There is no configuration "${name}".`)
  const { entries } = takeSnapshot(root, name => rows.get(name), services.settings.maxChain)
  const lines: CheckLine[] = []
  for (const entry of new Map(entries.map(each => [each.configuration, each])).values())
    lines.push(...(await checkEntry(services, root.experience_id, entry)))
  if (root.webhook_url !== null)
    lines.push(await checkWebhook(services, root.experience_id, root.configuration_name, root.webhook_url))
  return lines
}

async function checkEntry(services: CheckServices, experienceId: string, entry: SnapshotEntry): Promise<CheckLine[]> {
  const { adapters, db } = services
  const what = entry.configuration
  const adapter = adapters.get(entry.adapter_name)
  if (!adapter) return [{ ok: false, what, detail: `The adapter "${entry.adapter_name}" is not installed here.` }]
  const lines: CheckLine[] = []
  const wrong = validateDefaults(adapter, entry.defaults, 'defaults')
  lines.push(...wrong.map(({ field, message }) => ({ ok: false, what, detail: `${field} ${message}.` })))
  if (needsFfmpeg(adapter)) lines.push(...services.off().map(detail => ({ ok: false, what, detail })))
  const { options } = resolveOptions(adapter, entry, sortExtras({}, 'extras').sorted, sample(experienceId, entry))
  const missing = schemaErrors(adapter.options, options).filter(({ message }) => message === 'is required')
  lines.push(
    ...missing.map(({ field }) => ({
      ok: true,
      what,
      detail: `The option ${field} must come with the extras of every task.`,
    })),
  )
  const uses = assetUses(adapter, options).filter(({ name }) => !name.includes('{{'))
  const assets = await currentAssets(
    db,
    experienceId,
    uses.map(({ name }) => name),
  )
  lines.push(
    ...uses.map(({ name, parameter }) => ({
      ok: Object.hasOwn(assets, name),
      what,
      detail: Object.hasOwn(assets, name)
        ? `The asset "${name}" (${parameter}) is there.`
        : `The asset "${name}" (${parameter}) is missing.`,
    })),
  )
  if (isDestination(adapter) && adapter.check && missing.length === 0)
    lines.push(...(await checkDestination(services, entry, adapter, options, what)))
  return lines.length > 0 ? lines : [{ ok: true, what, detail: 'Ready.' }]
}

async function checkDestination(
  services: CheckServices,
  entry: SnapshotEntry,
  adapter: Adapter,
  options: JsonObject,
  what: string,
): Promise<CheckLine[]> {
  const lines: CheckLine[] = []
  const auth = openAuth(services.secretBox, entry)
  const step: DeliveryStep = {
    options,
    auth,
    context: {},
    assets: () => [],
    outbound: services.outbound,
    marker: `check-${newId()}`,
    checkpoint: null,
    save: async () => {},
    signal: AbortSignal.timeout(LIMIT_MS),
    progress: () => {},
    decide: () => {},
    warn: detail => void lines.push({ ok: true, what, detail }),
  }
  try {
    if (isDestination(adapter) && adapter.check)
      for await (const line of adapter.check(step)) lines.push({ ...line, what: `${what}: ${line.what}` })
  } catch (error) {
    const known = redact(error, auth)
    lines.push({
      ok: false,
      what,
      detail: known instanceof Problem ? known.message : 'The check failed for a reason of our own.',
    })
    if (!(known instanceof Problem))
      services.log.error({ err: known, configuration: entry.configuration }, 'a check failed')
  }
  return lines
}

async function checkWebhook(
  { db, secretBox, outbound }: CheckServices,
  experienceId: string,
  configuration: string,
  url: string,
): Promise<CheckLine> {
  const what = 'Webhook'
  const body = JSON.stringify({ type: 'keepsake.check', configuration })
  const id = newId()
  const timestamp = Math.floor(Date.now() / 1000)
  try {
    const response = await outbound.request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signatures(await webhookSecrets(db, secretBox, experienceId), id, timestamp, body),
      },
      body,
      timeoutMs: 15_000,
    })
    response.body.on('error', () => {}).destroy()
    const ok = response.status >= 200 && response.status < 300
    return {
      ok,
      what,
      detail: `${new URL(url).host} answered ${response.status} to a signed test event${ok ? '.' : '; a callback would not count as delivered.'}`,
    }
  } catch (error) {
    if (error instanceof Problem) return { ok: false, what, detail: error.message }
    throw error
  }
}

const needsFfmpeg = (adapter: Adapter): boolean =>
  !isDestination(adapter) &&
  [...adapter.accepts, adapter.makes].some(medium => medium === 'video' || medium === 'audio')

/** Stand-ins for what only a task knows. */
const sample = (experience_id: string, { configuration }: SnapshotEntry): JsonObject => ({
  task_id: newId(),
  chain_id: newId(),
  configuration,
  experience_id,
  index: 0,
  ext: '.jpg',
  now: new Date().toISOString(),
  profile: { email: 'guest@example.org' },
})

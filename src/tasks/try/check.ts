// Checks a configuration before an event opens: would one of its tasks work right now?
import { mergeOptions, sortExtras, validateDefaults } from '#configurations/options.ts'
import { fixedOptions } from '#configurations/target.ts'
import type { ConfigurationRow as WholeRow } from '#db/nouns/configuration-rows.ts'
import type { SnapshotEntry } from '#db/tables.ts'
import { type ConfigurationRow, configurationsBelow } from '#db/tasks/snapshots.ts'
import { requireWhole, type Visible } from '#db/visible.ts'
import { type Adapter, type CheckLine, isDestination } from '#engine/adapter.ts'
import { optionFor } from '#engine/option-roles.ts'
import { Problem } from '#kit/errors.ts'
import { newId } from '#kit/ids.ts'
import type { JsonObject } from '#kit/json.ts'
import { schemaErrors } from '#kit/schema.ts'
import type { SecretBox } from '#kit/secret/secrets.ts'
import { takeSnapshot } from '../accept/accept.ts'
import { deliveryStep } from '../entry/delivery-step.ts'
import { entryAuth, resolveOptions } from '../entry/resolve.ts'
import type { TaskServices } from '../task-services.ts'
import {
  assetFindings,
  decoderFindings,
  fontFindings,
  optionFindings,
  templateFindings,
  visionFindings,
} from './check-entry.ts'
import { checkWebhook } from './check-webhook.ts'
import { experienceFor, type ForExperience, readUsable } from './for-experience.ts'

const LIMIT_MS = 60_000

export interface CheckServices
  extends Pick<TaskServices, 'db' | 'blobs' | 'adapters' | 'secretBox' | 'outbound' | 'log' | 'settings'> {
  /** What this machine cannot do with videos and sound, one sentence each. */
  videoOff(): string[]
  /** Proves that people can be looked for here. */
  checkVision(signal?: AbortSignal): Promise<string>
}

/** One line per finding, good or bad, for every entry, its assets and the webhook. */
export async function checkConfiguration(
  services: CheckServices,
  { configuration: name, experienceId: given }: ForExperience,
  visible: Visible,
  signal: AbortSignal,
): Promise<CheckLine[]> {
  const { root, rows } = await readUsable(services.db, name, visible)
  requireWhole(visible, root.experience_id, 'configuration', name)
  return checkRows(services, rows, root, experienceFor(root, given, visible), signal)
}

/** A configuration as it would be stored. The caller has checked that this token may write it. */
export async function checkUnsaved(
  services: CheckServices,
  row: WholeRow,
  given: string | undefined,
  visible: Visible,
  signal: AbortSignal,
): Promise<CheckLine[]> {
  const root = { ...row, guest_page: null } as ConfigurationRow
  const rows = await configurationsBelow(services.db, root.call_chain?.map(([member]) => member) ?? [])
  return checkRows(services, rows, root, experienceFor(root, given, visible), signal)
}

async function checkRows(
  services: CheckServices,
  rows: ReadonlyMap<string, ConfigurationRow>,
  root: ConfigurationRow,
  experienceId: string,
  signal: AbortSignal,
): Promise<CheckLine[]> {
  const { entries } = takeSnapshot(root, name => rows.get(name), services.settings.maxChain)
  const lines: CheckLine[] = []
  for (const entry of new Map(entries.map(each => [each.configuration, each])).values()) {
    lines.push(...(await checkEntry(services, experienceId, entry, signal)))
    signal.throwIfAborted()
  }
  if (root.webhook_url !== null)
    lines.push(await checkWebhook(services, experienceId, root.configuration_name, root.webhook_url))
  return lines
}

async function checkEntry(
  services: CheckServices,
  experienceId: string,
  entry: SnapshotEntry,
  signal: AbortSignal,
): Promise<CheckLine[]> {
  const { adapters, db } = services
  const what = entry.configuration
  const adapter = adapters.get(entry.adapter_name)
  if (!adapter) return [{ ok: false, what, detail: `The adapter "${entry.adapter_name}" is not installed here.` }]
  const lines: CheckLine[] = []
  const wrong = validateDefaults(adapter, entry.defaults, 'defaults')
  lines.push(...wrong.map(({ field, message }) => ({ ok: false, what, detail: `${field} ${message}.` })))
  const { sorted } = sortExtras({}, 'extras')
  const { template, findings, isOpen } = await templateFindings(
    services,
    experienceId,
    adapter,
    mergeOptions(adapter, entry.defaults, sorted),
  )
  const merged = mergeOptions(adapter, entry.defaults, sorted, template)
  // Values for placeholders come with each task, so a missing value is no error here.
  const onMissing = optionFor(adapter, 'missing')
  const defaults = onMissing === null ? entry.defaults : { ...entry.defaults, [onMissing]: 'empty' }
  const { options } = resolveOptions(adapter, { ...entry, defaults }, sorted, sample(experienceId, entry), { template })
  const missing = schemaErrors(adapter.options, options).filter(({ kind }) => kind === 'required')
  const fixed = new Set(fixedOptions(adapter))
  const lacking = missingAuth(services.secretBox, adapter, entry)
  lines.push(
    ...missing.map(({ field }) =>
      fixed.has(field)
        ? { ok: false, what, detail: `The option ${field} is required, and extras can’t give it.` }
        : {
            ok: true,
            what,
            detail: `The option ${field} must come with the extras of every task.`,
            needs: { configuration: what, option: field },
          },
    ),
    ...lacking.map(field => ({
      ok: false,
      what,
      detail: `The credential ${field} is missing.`,
    })),
  )
  findings.push(
    ...(wrong.length === 0 ? optionFindings(what, adapter, merged, isOpen, services.settings) : []),
    ...decoderFindings(adapter, services.videoOff()),
    ...(await visionFindings(adapter, options, () => services.checkVision(signal))),
    ...(await fontFindings(adapter, options)),
    ...(await assetFindings(db, experienceId, adapter, merged)),
  )
  lines.push(...findings.map(finding => ({ ...finding, what })))
  if (isDestination(adapter) && adapter.check && lacking.length === 0) {
    const needed = missing.filter(({ field }) => !adapter.checkWithout?.includes(field))
    if (needed.length === 0)
      lines.push(...(await checkDestination(services, experienceId, entry, adapter, options, what, signal)))
    else lines.push({ ok: true, what: `${what}: Not tried`, detail: 'Where to deliver comes with each task.' })
  }
  return lines.length > 0 ? lines : [{ ok: true, what, detail: 'Ready.' }]
}

/** Credentials may be left out when a configuration is saved; here that is an error. */
function missingAuth(box: SecretBox, adapter: Adapter, entry: SnapshotEntry): string[] {
  if (!isDestination(adapter) || !adapter.auth) return []
  const given = entryAuth(box, entry)
  return schemaErrors(adapter.auth, given)
    .filter(({ kind }) => kind === 'required')
    .map(({ field }) => field)
}

async function checkDestination(
  services: CheckServices,
  experienceId: string,
  entry: SnapshotEntry,
  adapter: Adapter,
  options: JsonObject,
  what: string,
  signal: AbortSignal,
): Promise<CheckLine[]> {
  const lines: CheckLine[] = []
  const delivery = deliveryStep(services, adapter, {
    options,
    auth: entryAuth(services.secretBox, entry),
    experienceId,
    marker: `check-${newId()}`,
    signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]),
    warn: detail => void lines.push({ ok: true, what, detail }),
  })
  try {
    if (isDestination(adapter) && adapter.check)
      for await (const line of adapter.check(delivery.step)) {
        const { ok, what: tried, detail } = delivery.line(line)
        lines.push({ ok, what: `${what}: ${tried}`, detail })
      }
  } catch (error) {
    const known = delivery.error(error)
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

/** Stand-ins for values that only a task has. */
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

// Keeps in the audit what became of an asset.
import type { Trx } from '#db/database.ts'
import type { AssetFile } from '#db/nouns/asset-rows.ts'
import { recordChange } from '#db/nouns/audit-rows.ts'
import type { AuditAction } from '#db/tables.ts'
import type { Actor } from '#kit/actor.ts'

interface AssetChange {
  action: AuditAction
  name: string
  experience_id: string | null
  before: AssetFile | null
  after: AssetFile | null
}

const auditView = (file: AssetFile | null) =>
  file && {
    mime: file.mime,
    bytes: file.bytes,
    sha256: file.sha256,
    width: file.width ?? null,
    height: file.height ?? null,
    duration: file.duration ?? null,
  }

export const recordAsset = (
  trx: Trx,
  actor: Actor,
  { action, name, experience_id, before, after }: AssetChange,
): Promise<void> =>
  recordChange(trx, actor, {
    action,
    object: 'asset',
    object_id: name,
    experience_id,
    before: auditView(before),
    after: auditView(after),
  })

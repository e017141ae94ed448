// Reading assets, as far as the caller may see them.

import type { Queries } from '#db/database.ts'
import * as rows from '#db/nouns/asset-rows.ts'
import type { Page, PageRequest } from '#db/page.ts'
import type { Visible } from '#db/visible.ts'
import { Problem } from '#kit/errors.ts'

export type { Asset } from '#db/nouns/asset-rows.ts'

export const listAssets = (
  db: Queries,
  visible: Visible,
  filters: { experience_id?: string | undefined },
  page: PageRequest,
): Promise<Page<rows.Asset>> => rows.listAssets(db, visible, filters, page)

export async function readAsset(db: Queries, visible: Visible, name: string): Promise<rows.Asset> {
  const asset = await rows.findAsset(db, visible, name)
  if (!asset) throw unknownAsset(name)
  return asset
}

/** For a name in a path; one in a configuration is `unknown_asset`. */
export const unknownAsset = (name: string): Problem => new Problem('not_found', `There is no asset "${name}".`)

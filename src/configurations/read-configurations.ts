// Reading configurations, as far as the caller may see them.

import type { Queries } from '#db/database.ts'
import * as rows from '#db/nouns/configuration-rows.ts'
import type { Page, PageRequest } from '#db/page.ts'
import type { Visible } from '#db/visible.ts'
import { unknownConfiguration } from './save-configuration.ts'

export type { ConfigurationRow } from '#db/nouns/configuration-rows.ts'

export const listConfigurations = (
  db: Queries,
  visible: Visible,
  filters: rows.ConfigurationFilters,
  page: PageRequest,
): Promise<Page<rows.ConfigurationRow>> => rows.listConfigurations(db, visible, filters, page)

export async function readConfiguration(db: Queries, visible: Visible, name: string): Promise<rows.ConfigurationRow> {
  const row = await rows.findConfiguration(db, visible, name)
  if (!row) throw unknownConfiguration(name)
  return row
}

// What a backup says of itself. It is written last: a folder without it is no backup.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import Type, { type Static } from 'typebox'
import Value from 'typebox/value'
import { CannotStart } from '#kit/cannot-start.ts'
import { sha256Of } from '#kit/file-facts.ts'

const Manifest = Type.Object({
  format: Type.Literal(1),
  version: Type.String(),
  made_at: Type.String(),
  migrations: Type.Array(Type.String({ pattern: '^[\\w-]+\\.sql$' })),
  tables: Type.Array(
    Type.Object({
      name: Type.String({ pattern: '^[a-z_]+$' }),
      columns: Type.Array(Type.String({ pattern: '^[a-z0-9_]+$' })),
      rows: Type.Integer(),
      sha256: Type.String(),
    }),
  ),
  counters: Type.Array(Type.Object({ name: Type.String(), value: Type.String(), used: Type.Boolean() })),
  /** Null: they lie in a store of their own, which has tools of its own. */
  files: Type.Union([Type.Object({ count: Type.Integer(), bytes: Type.Integer() }), Type.Null()]),
  /** Names of those that are in it. */
  keys: Type.Array(Type.String({ pattern: '^(secret-key|admin-token)$' })),
})

export type Manifest = Static<typeof Manifest>

export const FILE = 'manifest.json'
export const rowsFile = (folder: string, table: string): string => join(folder, 'rows', `${table}.gz`)
export const filesFolder = (folder: string): string => join(folder, 'files')
export const keyFile = (folder: string, name: string): string => join(folder, 'keys', name)

/** Reads it, and looks whether the rows are those that were written. */
export async function readManifest(folder: string): Promise<Manifest> {
  let told: unknown
  try {
    told = JSON.parse(await readFile(join(folder, FILE), 'utf8'))
  } catch (error) {
    throw new CannotStart(`There is no whole backup in ${folder}: ${FILE} is missing or cannot be read`, {
      cause: error,
    })
  }
  if (!Value.Check(Manifest, told)) throw new CannotStart(`${FILE} is not of a backup that this version can read`)
  for (const { name, sha256 } of told.tables)
    if ((await sha256Of(rowsFile(folder, name)).catch(() => '')) !== sha256)
      throw new CannotStart(`The backup is damaged: rows/${name}.gz is not what was written`)
  return told
}

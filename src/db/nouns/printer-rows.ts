// Queries about printers: what is used of their rolls, and which deliveries are counted there.
import { sql } from 'kysely'
import type { Db, Queries, Trx } from '../database.ts'
import { transact } from '../transact.ts'

export interface RollRow {
  printer: string
  used: number
  changed_at: Date | null
}

/** One for each printer that was asked for, the one that was taken longest ago first. */
export async function listRolls(db: Queries, printers: readonly string[]): Promise<RollRow[]> {
  const { rows } = await sql<RollRow>`
    select asked.printer, coalesce(p.used, 0) as used, p.changed_at
    from unnest(${printers}::text[]) with ordinality as asked (printer, place)
    left join printers p on p.printer = asked.printer
    order by p.taken_at nulls first, asked.place`.execute(db)
  return rows
}

interface Print {
  marker: string
  printer: string
  copies: number
  /** Prints of a roll; null where nobody counts them. */
  most: number | null
}

/** Counts the prints of a delivery on a printer and no longer on another. False if the roll has not enough left. */
export async function takePrint(db: Db, { marker, printer, copies, most }: Print): Promise<boolean> {
  return await transact(db, async trx => {
    const counted = await countedAt(trx, marker)
    await sql`insert into printers (printer, changed_at) values (${printer}, now()) on conflict do nothing`.execute(trx)
    await lockPrinters(trx, [printer, ...(counted ? [counted.printer] : [])])
    if (counted?.printer === printer && counted.copies === copies) return true
    if (counted) await uncount(trx, marker)
    const { rows } = await sql<{ roll: number }>`
      update printers set used = used + ${copies}, taken_at = clock_timestamp()
      where printer = ${printer} and (${most}::int is null or used + ${copies} <= ${most}::int)
      returning roll`.execute(trx)
    const [taken] = rows
    if (taken)
      await sql`insert into prints (marker, printer, roll, copies) values (${marker}, ${printer}, ${taken.roll}, ${copies})`.execute(
        trx,
      )
    return taken !== undefined
  })
}

export async function givePrintBack(db: Db, marker: string): Promise<void> {
  await transact(db, async trx => {
    const counted = await countedAt(trx, marker)
    if (!counted) return
    await lockPrinters(trx, [counted.printer])
    await uncount(trx, marker)
  })
}

/** The count stays, and the delivery is no longer known by it. */
export async function dropPrint(db: Queries, marker: string): Promise<void> {
  await sql`delete from prints where marker = ${marker}`.execute(db)
}

/** Returns whether the printer was noted as empty before. */
export async function noteEmpty(db: Queries, printer: string, isEmpty: boolean): Promise<boolean> {
  const { rows } = await sql<{ is_empty: boolean }>`select is_empty from printers where printer = ${printer}`.execute(
    db,
  )
  const wasEmpty = rows[0]?.is_empty ?? false
  if (isEmpty && !wasEmpty)
    await sql`
      insert into printers (printer, is_empty, changed_at) values (${printer}, true, now())
      on conflict (printer) do update set is_empty = true`.execute(db)
  return wasEmpty
}

/** New rolls: the counts begin again with what is on its way to the printers. */
export async function changeRolls(db: Db, printers: readonly string[]): Promise<void> {
  await transact(db, trx => changeRollsIn(trx, printers))
}

export async function changeRollsIn(trx: Trx, printers: readonly string[]): Promise<void> {
  await lockPrinters(trx, printers)
  await sql`
    update printers p set
      roll = roll + 1, is_empty = false, changed_at = now(),
      used = (select coalesce(sum(copies), 0) from prints where prints.printer = p.printer)
    where printer = any (${printers}::text[])`.execute(trx)
  await sql`
    update prints set roll = p.roll from printers p
    where p.printer = prints.printer and prints.printer = any (${printers}::text[])`.execute(trx)
}

async function countedAt(trx: Trx, marker: string): Promise<{ printer: string; copies: number } | undefined> {
  const { rows } = await sql<{ printer: string; copies: number }>`
    select printer, copies from prints where marker = ${marker}`.execute(trx)
  return rows[0]
}

async function lockPrinters(trx: Trx, printers: readonly string[]): Promise<void> {
  await sql`select 1 from printers where printer = any (${printers}::text[]) order by printer for update`.execute(trx)
}

/** A roll that was changed meanwhile never held it. */
async function uncount(trx: Trx, marker: string): Promise<void> {
  await sql`
    with gone as (delete from prints where marker = ${marker} returning printer, roll, copies)
    update printers p set used = greatest(0, used - gone.copies) from gone
    where p.printer = gone.printer and p.roll = gone.roll`.execute(trx)
}

// Chooses the printer for a delivery: those that cannot print are passed over, the others take turns.
import type { DeliveryStep } from '#engine/adapter.ts'
import { isProblem, type Problem } from '#kit/errors.ts'
import { outOfQuota } from '../delivery/failure.ts'
import type { Attributes } from './ipp-codec.ts'
import { type Page, type PageOptions, pageFor, WrongMedium } from './print-page.ts'
import {
  isOutOfPaper,
  needOf,
  numberIn,
  type Printer,
  type PrinterStep,
  printerAt,
  printerAttributes,
} from './printer.ts'

export interface Found {
  printer: Printer
  attributes?: Attributes
  page?: Page
  /** Why it cannot print now. */
  problem?: Problem
}

interface ChoiceOptions extends PageOptions {
  printers: string[]
  prints_per_roll?: number
  wait: number
}

export type RollStep = PrinterStep & Pick<DeliveryStep, 'rolls'>

/** Asks one printer what it has. What keeps it from printing is `problem`; nothing is thrown but the end of the step. */
export async function lookAt(step: RollStep, printer: Printer, options: ChoiceOptions): Promise<Found> {
  try {
    const attributes = await printerAttributes(step, printer)
    await step.rolls.seen(printer.uri, isOutOfPaper(attributes))
    const need = needOf(attributes)
    if (need !== null) throw outOfQuota(`${printer.name} ${need}. It goes on by itself`, options.wait)
    return { printer, attributes, page: pageFor(printer, attributes, options) }
  } catch (error) {
    step.signal.throwIfAborted()
    if (error instanceof WrongMedium)
      return { printer, problem: outOfQuota(`${printer.name} ${error.message}. It goes on by itself`, options.wait) }
    if (!isProblem(error)) throw error
    return { printer, problem: error }
  }
}

/** The printer whose turn it is, with a print counted on its roll. */
export async function chosen(
  step: RollStep,
  options: ChoiceOptions,
): Promise<{ printer: Printer; page: Page; canCreate: boolean }> {
  const found = await Promise.all(options.printers.map(uri => lookAt(step, printerAt(uri), options)))
  const turns = (await step.rolls.read(options.printers)).map(({ printer }) => printer)
  const able = found
    .filter(({ page }) => page)
    .sort(
      (one, other) =>
        waiting(one) - waiting(other) || turns.indexOf(one.printer.uri) - turns.indexOf(other.printer.uri),
    )
  for (const { printer, page, attributes } of able) {
    if (await step.rolls.take(printer.uri, options.copies, options.prints_per_roll ?? null))
      return { printer, page: page as Page, canCreate: takesDocumentsLater(attributes as Attributes) }
  }
  const problems = found.flatMap(({ problem }) => problem ?? [])
  const [only] = problems
  if (able.length === 0 && only && (problems.length === 1 || problems.every(({ fault }) => fault !== 'quota')))
    throw problems.find(({ fault }) => fault === 'transient') ?? only
  const used = able.map(({ printer }) => `${printer.name} has used up its roll. Change it and report it as changed`)
  const words = [...used, ...problems.map(({ message }) => message.replace(/\.$/, ''))]
  throw outOfQuota(`No printer can print now: ${words.join('; ')}`, options.wait)
}

/** Jobs before ours. One that warns of something may stop before it comes to ours. */
const waiting = ({ attributes }: Found): number =>
  attributes ? (numberIn(attributes, 'queued-job-count') ?? 0) + (needOf(attributes, true) === null ? 0 : 1_000) : 0

const CREATE_AND_SEND = [5, 6]
const takesDocumentsLater = (attributes: Attributes): boolean => {
  const known = attributes.get('operations-supported') ?? []
  return CREATE_AND_SEND.every(operation => known.includes(operation))
}

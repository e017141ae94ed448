// keepsake retry, cancel and resend: those that are named, or all that a filter finds, with a count and a question first.
import { createInterface } from 'node:readline/promises'
import { KeepsakeError } from '#client/node.ts'
import { BadCommand } from '#kit/cannot-start.ts'
import type { Given } from '../commands.ts'
import { safe, type Terminal } from '../terminal.ts'
import { filtersOf } from './get.ts'
import { connect, exitCodeOf, sentencesOf } from './named-server.ts'

export const steer = async (
  verb: 'retry' | 'cancel',
  { values, positionals }: Given<'retry'>,
  terminal: Terminal,
): Promise<number> => {
  const keepsake = connect(values.url)
  const of = values.groups ? keepsake.groups : keepsake.tasks
  if (positionals.length > 0)
    return await each(positionals, async id => (await of[verb](id)).status, values.json === true, terminal)
  const many = verb === 'retry' ? of.retryMany.bind(of) : of.cancelMany.bind(of)
  return await all(
    { verb, noun: values.groups ? 'task groups' : 'tasks', filter: given(filtersOf(values)), values },
    terminal,
    (filter, dryRun) => many(filter, { dryRun }),
  )
}

export async function resend({ values, positionals }: Given<'resend'>, terminal: Terminal): Promise<number> {
  const { callbacks } = connect(values.url)
  if (positionals.length > 0)
    return await each(positionals, async id => (await callbacks.resend(id)).status, values.json === true, terminal)
  const filter = given({ ...filtersOf(values), status: values.status ?? 'GivenUp' })
  return await all({ verb: 'resend', noun: 'callbacks', filter, values }, terminal, (chosen, dryRun) =>
    callbacks.resendMany(chosen, { dryRun }),
  )
}

const given = (filter: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

/** One after the other; one that is refused does not keep the rest from going. */
async function each(
  ids: readonly string[],
  act: (id: string) => Promise<string>,
  isJson: boolean,
  terminal: Terminal,
): Promise<number> {
  let code = 0
  for (const id of ids) {
    try {
      const status = await act(id)
      terminal.print(isJson ? JSON.stringify({ id, status }) : safe(`${id}  ${status}`))
    } catch (error) {
      if (!(error instanceof KeepsakeError)) throw error
      code = Math.max(code, exitCodeOf(error))
      terminal.say(safe(`${id}  ${sentencesOf(error)}`))
    }
  }
  return code
}

interface Many {
  verb: string
  noun: string
  filter: Record<string, string>
  values: { 'dry-run'?: boolean | undefined; yes?: boolean | undefined; json?: boolean | undefined }
}

async function all(
  { verb, noun, filter, values }: Many,
  terminal: Terminal,
  act: (filter: Record<string, string>, dryRun: boolean) => Promise<{ count?: number; resent?: number }>,
): Promise<number> {
  if (Object.keys(filter).length === 0)
    throw new BadCommand(
      `${verb} needs ids, or at least one of --status, --configuration, --experience, --error-code, --created-after, --created-before`,
    )
  const { count = 0 } = await act(filter, true)
  if (values['dry-run'] || count === 0) {
    terminal.print(values.json ? JSON.stringify({ count }) : `${count} ${noun}`)
    return 0
  }
  if (!values.yes && !(await isAgreed(`${verb} ${count} ${noun}?`))) {
    terminal.say('Nothing was done.')
    return 1
  }
  const done = await act(filter, false)
  terminal.print(values.json ? JSON.stringify(done) : `${done.resent ?? done.count ?? 0} ${noun}`)
  return 0
}

/** Where nobody can answer, the command must say --yes. */
export async function isAgreed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new BadCommand(`${question} Say so with --yes`)
  const reader = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await reader.question(`${question} [y/N] `)).trim())
  } finally {
    reader.close()
  }
}

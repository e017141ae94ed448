// keepsake check: the doors check of configurations, on the server that will run them.
import { BadCommand } from '#kit/cannot-start.ts'
import type { Given } from '../commands.ts'
import { safe, type Terminal } from '../terminal.ts'
import { connect } from './named-server.ts'

export async function checkRemote({ values, positionals }: Given<'check'>, terminal: Terminal): Promise<number> {
  const keepsake = connect(values.url)
  const names = [...positionals]
  if (values.experience !== undefined)
    for await (const { configuration_name } of keepsake.configurations.list({
      experience_id: values.experience,
      limit: 500,
    }))
      names.push(configuration_name)
  if (names.length === 0) throw new BadCommand('check needs configurations, or --experience ID')
  let isGood = true
  for (const name of new Set(names)) {
    const lines = await keepsake.configurations.check(name)
    if (values.json) terminal.print(JSON.stringify({ configuration: name, ok: lines.every(({ ok }) => ok), lines }))
    else
      for (const { ok, what, detail } of lines)
        terminal.print(safe(`${ok ? 'ok  ' : 'fail'}  ${name}  ${what}  ${detail}`))
    isGood &&= lines.every(({ ok }) => ok)
  }
  return isGood ? 0 : 1
}

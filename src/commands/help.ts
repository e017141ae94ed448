// The texts of `keepsake help`, made from the table of commands.
import { type Command, commands, groups, type Name } from './commands.ts'

const all = Object.entries(commands) as [Name, Command][]

export function overview(): string {
  const width = Math.max(...all.map(([name]) => name.length))
  const sections = Object.entries(groups).map(([group, title]) => {
    const lines = all
      .filter(([, command]) => command.group === group)
      .map(([name, { about }]) => `  ${name.padEnd(width)}  ${about}`)
    return [`${title}:`, ...lines].join('\n')
  })
  return `Keepsake: processes what guests make at live events, and delivers it.

Usage: keepsake [command]

${sections.join('\n\n')}

keepsake help COMMAND tells the options of one. Exit codes: 0 done, 1 something failed, 2 the command line is wrong, 3 the server can't be
reached, 4 the server refused the token. Settings of the service come from the environment and from a .env file here.
`
}

export function helpOf(name: Name): string {
  const { about, usage, options, examples = [] }: Command = commands[name]
  const rows = Object.entries(options).map(([option, { short, value, about: what }]) => [
    `${short === undefined ? '    ' : `-${short}, `}--${option}${value === undefined ? '' : ` ${value}`}`,
    what,
  ])
  const width = Math.max(0, ...rows.map(([left = '']) => left.length))
  const parts = [
    `keepsake ${name}: ${about}`,
    `Usage: keepsake ${name}${usage === '' ? '' : ` ${usage}`}${rows.length === 0 ? '' : ' [options]'}`,
    rows.map(([left = '', right]) => `  ${left.padEnd(width)}  ${right}`).join('\n'),
    examples.length === 0 ? '' : `Examples:\n${examples.map(example => `  ${example}`).join('\n')}`,
  ]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

// The table of commands and their options, for docs/command-line.md.
import { commands, groups } from '../../src/commands/commands.ts'

export function commandsText() {
  return Object.entries(groups)
    .map(([group, title]) => {
      const own = Object.entries(commands).filter(([, command]) => command.group === group)
      return [`### ${title}`, ...own.map(([name, command]) => commandText(name, command))].join('\n\n')
    })
    .join('\n\n')
}

function commandText(name, { usage, about, options, examples = [] }) {
  const rows = Object.entries(options).map(
    ([option, { short, value, about: what }]) =>
      `| ${short ? `\`-${short}\`, ` : ''}\`--${option}${value ? ` ${value.replaceAll('|', '\\|')}` : ''}\` | ${what} |`,
  )
  return [
    `**\`keepsake ${name}${usage ? ` ${usage.replaceAll('|', '\u2502')}` : ''}\`**: ${about}.`,
    ...(rows.length > 0 ? [['| option | meaning |', '|---|---|', ...rows].join('\n')] : []),
    ...(examples.length > 0 ? [`\`\`\`\n${examples.join('\n')}\n\`\`\``] : []),
  ].join('\n\n')
}

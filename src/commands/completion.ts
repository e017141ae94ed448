// keepsake completion: scripts for three shells, made from the table of commands. Names come from the server, asked with a short patience.
import { BadCommand } from '#kit/cannot-start.ts'
import { type Command, commands, type Given, type Option } from './commands.ts'

const entries = Object.entries(commands) as [string, Command][]

export function completion({ positionals: [shell] }: Given<'completion'>): string {
  if (shell === 'bash') return bash()
  if (shell === 'zsh') return `#compdef keepsake\nautoload -U +X bashcompinit && bashcompinit\n${bash()}`
  if (shell === 'fish') return fish()
  throw new BadCommand('completion needs the name of a shell: bash, zsh or fish')
}

const flags = ({ options }: Command): string[] =>
  Object.entries(options).flatMap(([name, { short }]) => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])])

/** A word list, or the command that prints one. */
const wordsOf = (what: Command['completes'] | Option['completes']): string =>
  what === undefined
    ? ''
    : what === 'files'
      ? 'FILES'
      : typeof what === 'string'
        ? `"$(keepsake get ${what} --names 2>/dev/null)"`
        : `$'${what.join('\\n')}'`

function bash(): string {
  const values = entries.flatMap(([name, { options }]) =>
    Object.entries(options).flatMap(([option, { short, completes, value }]) => {
      const names = [`${name}:--${option}`, ...(short === undefined ? [] : [`${name}:-${short}`])].join('|')
      if (completes !== undefined) return [`    ${names}) words=${wordsOf(completes)} ;;`]
      return value === 'FOLDER' || value === 'FILE' ? [`    ${names}) words=FILES ;;`] : []
    }),
  )
  const words = entries.map(
    ([name, command]) => `      ${name}) flags="${flags(command).join(' ')}"; words=${wordsOf(command.completes)} ;;`,
  )
  return `_keepsake() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" words= flags=
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${entries.map(([name]) => name).join(' ')}" -- "$word"))
    return
  fi
  case "$command:$before" in
${values.join('\n')}
    *) case "$command" in
${words.join('\n')}
      esac ;;
  esac
  if [[ "$word" == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$word"))
  elif [ "$words" = FILES ]; then COMPREPLY=($(compgen -f -- "$word"))
  else
    local IFS=$'\\n'
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  fi
}
complete -o filenames -F _keepsake keepsake
`
}

function fish(): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", "\\'")}'`
  const lines = entries.flatMap(([name, { about, options, completes }]) => {
    const seen = `-n '__fish_seen_subcommand_from ${name}'`
    const list = (what: Option['completes'] | Command['completes']): string =>
      what === undefined || what === 'files'
        ? ''
        : ` -a ${typeof what === 'string' ? `'(keepsake get ${what} --names 2>/dev/null)'` : quoted(what.join(' '))}`
    return [
      `complete -c keepsake -n __fish_use_subcommand -f -a ${name} -d ${quoted(about)}`,
      ...(completes === undefined || completes === 'files'
        ? []
        : [`complete -c keepsake ${seen} -f${list(completes)}`]),
      ...Object.entries(options).map(
        ([option, { short, value, about: what, completes: own }]) =>
          `complete -c keepsake ${seen} -l ${option}${short === undefined ? '' : ` -s ${short}`}${value === undefined ? '' : ' -r'}${list(own)} -d ${quoted(what)}`,
      ),
    ]
  })
  return `${lines.join('\n')}\n`
}

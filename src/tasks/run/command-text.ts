// The exact command that ran, with names in place of paths, ready to be copied into a shell.
import { basename } from 'node:path'

/** `labels`: path to what is shown for it. Any other absolute path is shown by its last part alone. */
export function commandText(command: readonly string[], labels: ReadonlyMap<string, string>): string {
  return command.map(part => quoted(labelled(part, labels))).join(' ')
}

function labelled(part: string, labels: ReadonlyMap<string, string>): string {
  let text = part
  for (const [path, label] of labels) text = text.replaceAll(path, label)
  return text.replaceAll(/(?<![\w{}:/])\/(?:[^\s/:'",;\]]+\/)+[^\s/:'",;\]]*/g, path => basename(path))
}

const quoted = (part: string): string => (/^[\w@%+=:,./{}-]+$/.test(part) ? part : `'${part.replaceAll("'", `'\\''`)}'`)

// Formats the command that ran for the explanation: names replace paths, and it can be copied into a shell.
import { basename } from 'node:path'

/** `labels` maps a path to the name shown for it. Any other absolute path is cut to its last part. */
export function commandText(command: readonly string[], labels: ReadonlyMap<string, string>): string {
  return command.map(part => quoted(labelled(part, labels))).join(' ')
}

function labelled(part: string, labels: ReadonlyMap<string, string>): string {
  let text = part
  for (const [path, label] of labels) text = text.replaceAll(path, label)
  return text.replaceAll(/(?<![\w{}:/])\/(?:[^\s/:'",;\]]+\/)+[^\s/:'",;\]]*/g, path => basename(path))
}

const quoted = (part: string): string => (/^[\w@%+=:,./{}-]+$/.test(part) ? part : `'${part.replaceAll("'", `'\\''`)}'`)

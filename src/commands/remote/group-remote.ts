// keepsake group: runs several configurations with one request, each on a file or on what an earlier one made.
import { type GroupMemberInput, type NodeFile, saveTo } from '#client/node.ts'
import { BadCommand } from '#kit/cannot-start.ts'
import type { Given } from '../commands.ts'
import { savedIn } from '../saved-files.ts'
import { newProgress, size, type Terminal } from '../terminal.ts'
import { connect, jsonObject } from './named-server.ts'
import { extensionOf, reasonOf, resultName, tell } from './run-remote.ts'

export async function groupRemote(
  { values, positionals }: Given<'group'>,
  terminal: Terminal,
  here: (path: string) => string,
): Promise<number> {
  const configurations = membersOf(positionals, values.extras ?? [], here)
  const onFailure = values['on-failure']
  if (onFailure !== undefined && onFailure !== 'stop' && onFailure !== 'continue')
    throw new BadCommand('--on-failure must be stop or continue')
  const out = values.out === undefined ? null : here(values.out)
  const keepsake = connect(values.url)
  const progress = newProgress(terminal)
  const name = configurations.map(({ configuration }) => configuration).join(', ')
  const sending = {
    onProgress: (done: number, total: number) =>
      progress.show(name, `sending ${size(total)}`, total === 0 ? 1 : done / total),
  }
  try {
    const group = await keepsake.groups.create(
      { configurations, onFailure, webhookUrl: values.webhook, experienceId: values.experience },
      sending,
    )
    if (values.wait !== true && out === null) {
      progress.done(name, `accepted as ${group.task_id}`)
      terminal.print(values.json ? JSON.stringify(group) : group.task_id)
      return 0
    }
    const ended = await keepsake.groups.wait(group, { onEvent: event => tell(progress, name, event) })
    const results = await savedIn(out ?? here('.'), values.force === true)
    const saved: string[] = []
    for (const { configuration, index, entries } of ended.tasks) {
      const made = entries.findLast(({ output }) => output)
      if (!made) continue
      const name = resultName(fileOf(configurations, index), configuration)
      saved.push(
        await results.save(name, extensionOf(made.output?.mime), path =>
          saveTo(path, keepsake.groups.output(ended, index)),
        ),
      )
    }
    progress.done(name, ended.status === 'Succeeded' ? 'Succeeded' : reasonOf(ended))
    if (values.json) terminal.print(JSON.stringify({ task_id: ended.task_id, status: ended.status, saved }))
    else for (const path of saved) terminal.print(path)
    return ended.status === 'Succeeded' ? 0 : 1
  } finally {
    progress.end()
  }
}

/** The file that a configuration began with, perhaps by way of earlier ones. */
function fileOf(members: readonly GroupMemberInput<NodeFile>[], index: number): string {
  const { file, input } = members[index] ?? {}
  const earlier = members.findIndex(({ configuration }) => configuration === input)
  return earlier < 0 ? String(file ?? input) : fileOf(members, earlier)
}

/** `NAME=@FILE` gives a file, `NAME=EARLIER` the output of an earlier configuration. */
function membersOf(
  words: readonly string[],
  extras: readonly string[],
  here: (path: string) => string,
): GroupMemberInput<NodeFile>[] {
  if (words.length === 0)
    throw new BadCommand('group needs configurations, for example keepsake group portrait=@guest.jpg card=portrait')
  const members = words.map((word): GroupMemberInput<NodeFile> => {
    const at = word.indexOf('=')
    if (at < 1) throw new BadCommand(`"${word}" must be NAME=@FILE or NAME=EARLIER`)
    const [configuration, value] = [word.slice(0, at), word.slice(at + 1)]
    return value.startsWith('@') ? { configuration, file: here(value.slice(1)) } : { configuration, input: value }
  })
  for (const text of extras) {
    const at = text.indexOf('=')
    const member = members.find(({ configuration }) => configuration === text.slice(0, Math.max(at, 0)))
    if (!member)
      throw new BadCommand(
        `--extras must be NAME=JSON with one of ${members.map(({ configuration }) => configuration).join(', ')}`,
      )
    member.extras = jsonObject(text.slice(at + 1), `--extras of ${member.configuration}`, here)
  }
  return members
}

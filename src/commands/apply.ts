// keepsake apply --local: makes the database and the files of this machine what event files say.
import { createReadStream } from 'node:fs'
import { withServices } from '#app.ts'
import { applyEvent, type Event } from '#apply/apply-event.ts'
import type { Written } from '#configurations/save-configuration.ts'
import { settingsOf } from '#http/resources/experience-settings.ts'
import { commandLine } from '#kit/actor.ts'
import { BadCommand } from '#kit/cannot-start.ts'
import type { Settings } from '#kit/settings.ts'
import { newUploads } from '#uploads/uploads.ts'
import type { Given } from './commands.ts'
import { readEvents } from './event-file.ts'
import { changeLines } from './show-changes.ts'
import type { Terminal } from './terminal.ts'

const actor = commandLine('apply')

export async function apply(
  settings: Settings,
  { values, positionals }: Given<'apply'>,
  { print }: Terminal,
  here: (path: string) => string,
): Promise<number> {
  const dryRun = values['dry-run'] === true
  const prune = values.prune === true
  if (prune && !dryRun && !values.yes)
    throw new BadCommand('--prune deletes what the files do not have. Look with --dry-run first, then say --yes')
  const { experiences, assets, configurations } = await readEvents(positionals, here)
  await withServices(settings, async services => {
    const { db, blobs, secretBox, adapters, outbound, media } = services
    const { maxChain, maxVersions } = settings
    const probe = (path: string) => media.probe(path)
    const applying = {
      db,
      blobs,
      secretBox,
      adapters,
      outbound,
      probe,
      actor,
      dataFolder: settings.data,
      keep: settings,
      limits: settings,
      maxChain,
      maxVersions,
    }
    const uploads = newUploads(db, blobs)
    const kept: string[] = []
    try {
      const event: Event = {
        experiences: experiences.map(({ experience_id, ...written }) => ({
          id: experience_id,
          settings: settingsOf(written),
        })),
        assets: [],
        configurations: configurations as Written[],
      }
      for (const { name, experience_id, path, sha256 } of assets) {
        const file = await uploads.put(createReadStream(path), { maxBytes: settings.maxUploadBytes })
        kept.push(file.blob)
        event.assets.push({ name, experienceId: experience_id, sha256, file })
      }
      const changes = await applyEvent(applying, null, event, { dryRun, prune, actor })
      if (values.json) print(JSON.stringify({ changes }, null, 2))
      else for (const line of changeLines(changes, dryRun)) print(line)
    } finally {
      // Deletes only the files that no row owns.
      await uploads.drop(kept)
    }
  })
  return 0
}

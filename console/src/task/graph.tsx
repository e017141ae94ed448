// A task as its graph: the uploaded file, then every entry below what it takes its file from.

import type { Entry, Task } from '../api/shapes.ts'
import { Media, Print } from '../parts/media.tsx'
import { t } from '../words/t.ts'
import { EntryCard } from './entry-card.tsx'
import { laneCount, lanes } from './lanes.ts'
import { Rail } from './rail.tsx'
import { inputSight, type Place } from './sights.ts'

interface Props {
  place: Place
  entries: Entry[]
  input: Task['input']
  from: string
}

export function Graph({ place, entries, input, from }: Props) {
  const rows = lanes(entries)
  const count = laneCount(rows)
  const sight = inputSight(place, input)
  return (
    <ol className="px-3 pt-2 sm:px-4">
      <li className="flex gap-2.5">
        {rows[0] && <Rail lane={rows[0]} count={count} status={null} first />}
        <div className="min-w-0 flex-1 pb-5">
          <div className="flex min-h-[52px] items-center gap-3">
            <h3 className="text-[17px]">{from}</h3>
          </div>
          {sight ? (
            <Print caption={<InputFacts name={input?.file_name ?? null} facts={sight.facts} />}>
              <Media
                src={sight.src}
                mime={sight.mime}
                label={sight.label}
                poster={sight.poster}
                className="max-h-44 w-auto"
              />
            </Print>
          ) : (
            <p className="text-[14px] text-soft">
              {t('No file of its own: it comes from an earlier configuration of the group, or from a URL.')}
            </p>
          )}
        </div>
      </li>
      {entries.map((entry, at) => {
        const lane = rows[at + 1]
        return (
          <li key={entry.index} className="flex gap-2.5">
            {lane && <Rail lane={lane} count={count} status={entry.status} first={false} />}
            <EntryCard entry={entry} place={place} />
          </li>
        )
      })}
    </ol>
  )
}

const InputFacts = ({ name, facts }: { name: string | null; facts: string | undefined }) => (
  <>
    {name && (
      <span dir="auto" className="block font-semibold text-[#15171c] [overflow-wrap:anywhere]">
        {name}
      </span>
    )}
    {facts}
  </>
)

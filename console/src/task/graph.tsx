// A task as its graph: the uploaded file, then every entry below what it takes its file from.

import { ApiError, query } from '../api/client.ts'
import type { Entry } from '../api/shapes.ts'
import { useInputKind } from '../api/tasks.ts'
import { Media, Print } from '../parts/media.tsx'
import { EntryCard } from './entry-card.tsx'
import { laneCount, lanes } from './lanes.ts'
import { Rail } from './rail.tsx'

interface Props {
  entries: Entry[]
  /** Where the file that was sent in is found. */
  input: string
  version: string | null
  from: string
  outputAt(entry: Entry): string
  /** The small picture that stands for a video until it is played. */
  posterAt(which: number | 'input'): string
}

const nothingKept = (error: unknown): string =>
  error instanceof ApiError && error.status === 410
    ? 'The file is no longer kept.'
    : 'No file of its own: it came from an earlier configuration of the group, or from a URL.'

export function Graph({ entries, input, version, from, outputAt, posterAt }: Props) {
  const kind = useInputKind(input, version)
  const rows = lanes(entries)
  const count = laneCount(rows)
  return (
    <ol className="px-3 pt-2 sm:px-4">
      <li className="flex gap-2.5">
        {rows[0] && <Rail lane={rows[0]} count={count} status={null} first />}
        <div className="min-w-0 flex-1 pb-5">
          <div className="flex min-h-[52px] items-center gap-3">
            <h3 className="text-[17px]">{from}</h3>
          </div>
          {kind.data && (
            <Print>
              <Media
                src={query(input, { v: version })}
                mime={kind.data}
                label="The file that was sent in"
                poster={posterAt('input')}
                className="max-h-44 w-auto"
              />
            </Print>
          )}
          {kind.isError && <p className="text-[14px] text-soft">{nothingKept(kind.error)}</p>}
        </div>
      </li>
      {entries.map((entry, at) => {
        const lane = rows[at + 1]
        return (
          <li key={entry.index} className="flex gap-2.5">
            {lane && <Rail lane={lane} count={count} status={entry.status} first={false} />}
            <EntryCard entry={entry} src={outputAt(entry)} poster={posterAt(entry.index)} />
          </li>
        )
      })}
    </ol>
  )
}

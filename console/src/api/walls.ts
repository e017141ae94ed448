// The walls of events: what waits for approval, what is decided, and the keys of the screens.
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import type {
  ListedKeepsake as ListedKeepsakeAnswer,
  NewWallKey as NewWallKeyAnswer,
  WallKey as WallKeyAnswer,
} from '#http/contract/guests/wall-shapes.ts'
import { at, get, query, send } from './client.ts'
import type { List } from './shapes.ts'
import { useStream } from './stream.ts'

export type WaitingKeepsake = ListedKeepsakeAnswer
export type NewWallKey = NewWallKeyAnswer
export type Standing = WaitingKeepsake['wall']['state']
export type Decision = 'approve' | 'hide' | 'wait'

/** A keepsake with those of its files that are to be looked at. */
export interface Waiting {
  keepsake: WaitingKeepsake
  files: WaitingKeepsake['files']
}

const PAGE = 30
const SOON_MS = 500
const ANYWAY_MS = 6000

export const standingKey = (experience: string, standing: Standing) => ['keepsake', 'list', experience, standing]

/** Live: whatever task ends may bring something to look at. */
export function useStanding(experience: string | null, standing: Standing) {
  const client = useQueryClient()
  const soon = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(soon.current), [])
  const handlers = useMemo(() => {
    const look = () => {
      clearTimeout(soon.current)
      soon.current = setTimeout(() => void client.invalidateQueries({ queryKey: ['keepsake', 'list'] }), SOON_MS)
    }
    return { changed: look, missed: look }
  }, [client])
  useStream(experience === null ? null : at('task', 'events'), handlers)
  return useInfiniteQuery({
    queryKey: standingKey(experience ?? '', standing),
    queryFn: ({ pageParam, signal }) =>
      get<List<WaitingKeepsake>>(
        query(at('keepsake'), { experience_id: experience, wall: standing, limit: PAGE, cursor: pageParam }),
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: page => page.next_cursor,
    enabled: experience !== null,
    refetchInterval: ANYWAY_MS,
  })
}

/** Only what can be seen: files that are ready, and that stand where the list says. */
export const lookedAt = (keepsakes: readonly WaitingKeepsake[], standing: Standing): Waiting[] =>
  keepsakes.flatMap(keepsake => {
    const files = keepsake.files.filter(
      ({ state, wall, mime }) => state === 'ready' && wall === standing && /^(image|video)\//.test(mime ?? ''),
    )
    return files.length > 0 ? [{ keepsake, files }] : []
  })

export const decide = (decision: Decision, { keepsake, files }: Waiting): Promise<unknown> =>
  send(
    'POST',
    at('keepsake', keepsake.keepsake_id, decision),
    decision === 'hide' ? undefined : { numbers: files.map(({ number }) => number) },
  )

export const pictureOf = ({ keepsake_id }: WaitingKeepsake, number: number): string =>
  query(at('keepsake', keepsake_id, 'file', number), { size: 1280 })

export const useWallKeys = (experience: string | null) =>
  useQuery({
    queryKey: ['wall-key', experience],
    queryFn: ({ signal }) =>
      get<List<WallKeyAnswer>>(at('experience', experience ?? '', 'wall-key'), signal).then(({ items }) => items),
    enabled: experience !== null,
  })

export const makeWallKey = (experience: string): Promise<NewWallKey> =>
  send<NewWallKey>('POST', at('experience', experience, 'wall-key'), {})

export const revokeWallKeys = (experience: string): Promise<unknown> =>
  send('DELETE', at('experience', experience, 'wall-key'))

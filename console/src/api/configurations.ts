// Configurations, adapters, experiences and assets: lists that fit on a screen are read whole.

import { type QueryClient, useQuery } from '@tanstack/react-query'
import { t } from '../words/t.ts'
import { ApiError, at, get, getTagged, query, requestInTime, send } from './client.ts'
import type { Adapter, Asset, CheckLine, Configuration, Experience, Font, JsonObject, List } from './shapes.ts'
import { isSame } from './writable.ts'

export { isSame, writable } from './writable.ts'

const MOST = 2000

const withPage = (path: string, cursor: string | null): string => {
  const asked = query('', { limit: 200, cursor })
  return path.includes('?') ? `${path}&${asked.slice(1)}` : path + asked
}

/** Every item of a list, page by page. The path may have filters. */
export async function all<T>(path: string, signal: AbortSignal): Promise<T[]> {
  const items: T[] = []
  let cursor: string | null = null
  do {
    const page: List<T> = await get<List<T>>(withPage(path, cursor), signal)
    items.push(...page.items)
    cursor = page.next_cursor
  } while (cursor && items.length < MOST)
  return items
}

export const useConfigurations = () =>
  useQuery({
    queryKey: ['configuration', 'all'],
    queryFn: ({ signal }) => all<Configuration>(at('configuration'), signal),
  })

export const useExperiences = () =>
  useQuery({ queryKey: ['experience', 'all'], queryFn: ({ signal }) => all<Experience>(at('experience'), signal) })

export const useAssets = () =>
  useQuery({ queryKey: ['asset', 'all'], queryFn: ({ signal }) => all<Asset>(at('asset'), signal) })

export const useAdapters = () =>
  useQuery({
    queryKey: ['adapter'],
    queryFn: ({ signal }) => get<List<Adapter>>(at('adapter'), signal).then(({ items }) => items),
    staleTime: 10 * 60_000,
  })

/** The fonts that text can be set in. */
export const useFonts = () =>
  useQuery({
    queryKey: ['font'],
    queryFn: ({ signal }) => get<List<Font>>(at('font'), signal).then(({ items }) => items),
    staleTime: 10 * 60_000,
  })

/** A configuration as it was read, with the tag of that state. */
export interface Read {
  value: Configuration
  tag: string | null
}

export const readConfiguration = (name: string, signal?: AbortSignal): Promise<Read> =>
  getTagged<Configuration>(at('configuration', name), signal)

export const useConfiguration = (name: string | undefined) =>
  useQuery({
    queryKey: ['configuration', 'one', name],
    queryFn: ({ signal }) => readConfiguration(name ?? '', signal),
    enabled: name !== undefined,
    // A form is built from it: a refetch must not take away what is being typed.
    refetchOnWindowFocus: false,
  })

/** Somebody else wrote it after it was read here. */
export class ChangedMeanwhile extends Error {
  readonly theirs: Read

  constructor(theirs: Read) {
    super(t('It was changed meanwhile.'))
    this.name = 'ChangedMeanwhile'
    this.theirs = theirs
  }
}

/**
 * Writes what was edited over what was read, and over nothing else. A try whose answer was lost may have been written all the
 * same: then the service has exactly this, and it counts as saved.
 */
export async function saveConfiguration(body: Configuration, read: Read | undefined): Promise<Read> {
  const name = body.configuration_name
  try {
    await (read
      ? send('PUT', at('configuration', name), body, read.tag)
      : send<Configuration>('POST', at('configuration'), body))
  } catch (error) {
    if (!(error instanceof ApiError) || (error.code !== 'changed_meanwhile' && error.code !== 'name_taken')) throw error
    const theirs = await readConfiguration(name).catch(() => null)
    if (theirs && isSame(theirs.value, body)) return theirs
    if (theirs && error.code === 'changed_meanwhile') throw new ChangedMeanwhile(theirs)
    throw error
  }
  return readConfiguration(name)
}

/** What was read or written is what the lists show next. */
export function refresh(client: QueryClient, now: Read): void {
  client.setQueryData(['configuration', 'one', now.value.configuration_name], now)
  void client.invalidateQueries({ queryKey: ['configuration', 'all'] })
  void client.invalidateQueries({ queryKey: ['experience'] })
  void client.invalidateQueries({ queryKey: ['asset'] })
}

export async function preview(
  name: string,
  data: File,
  extras: JsonObject,
  signal?: AbortSignal,
  entry?: number,
): Promise<Blob> {
  const form = new FormData()
  if (Object.keys(extras).length > 0) form.set('extras', JSON.stringify(extras))
  form.set('data', data)
  const response = await requestInTime(query(at('configuration', name, 'preview'), { entry }), {
    method: 'POST',
    body: form,
    ...(signal ? { signal } : {}),
  })
  return response.blob()
}

/** As it would be stored; masked credentials are the stored ones. */
export const checkUnsaved = (body: Configuration, experience_id?: string): Promise<{ lines: CheckLine[] }> =>
  send('POST', query(at('configuration', 'check'), { experience_id }), body)

export const check = (name: string, experience_id?: string): Promise<{ lines: CheckLine[] }> =>
  send('POST', query(at('configuration', name, 'check'), { experience_id }))

/** With a mark of its content: a browser shows what it has of an address, also where the file was replaced. */
export const assetFile = (name: string, sha256?: string): string =>
  query(at('asset', name, 'file'), { v: sha256?.slice(0, 12) })

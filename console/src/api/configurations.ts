// Configurations, adapters, experiences and assets: lists that fit on a screen are read whole.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { at, get, query, request, send } from './client.ts'
import type { Adapter, Asset, CheckLine, Configuration, Experience, JsonObject, List } from './shapes.ts'

const MOST = 2000

/** Every item of a list, page by page. */
export async function all<T>(path: string, signal: AbortSignal): Promise<T[]> {
  const items: T[] = []
  let cursor: string | null = null
  do {
    const page: List<T> = await get<List<T>>(query(path, { limit: 200, cursor }), signal)
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

export const useConfiguration = (name: string | undefined) =>
  useQuery({
    queryKey: ['configuration', 'one', name],
    queryFn: ({ signal }) => get<Configuration>(at('configuration', name ?? ''), signal),
    enabled: name !== undefined,
    // A form is built from it: a refetch must not take away what is being typed.
    refetchOnWindowFocus: false,
  })

const written = [
  'configuration_name',
  'experience_id',
  'adapter_name',
  'adapter_config',
  'activity_config',
  'call_chain',
  'webhook_url',
] as const

/** Only what may be written: kind and times come from the service. */
export const writable = (configuration: Configuration): Configuration =>
  Object.fromEntries(
    written.flatMap(name =>
      configuration[name] === undefined || configuration[name] === null ? [] : [[name, configuration[name]]],
    ),
  ) as unknown as Configuration

export function useSaveConfiguration() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ body, isNew }: { body: Configuration; isNew: boolean }) =>
      isNew
        ? send<Configuration>('POST', at('configuration'), body)
        : send<Configuration>('PUT', at('configuration', body.configuration_name), body),
    onSuccess: saved => {
      client.setQueryData(['configuration', 'one', saved.configuration_name], saved)
      void client.invalidateQueries({ queryKey: ['configuration', 'all'] })
      void client.invalidateQueries({ queryKey: ['experience'] })
      void client.invalidateQueries({ queryKey: ['asset'] })
    },
  })
}

export async function preview(name: string, data: File, extras: JsonObject, signal?: AbortSignal): Promise<Blob> {
  const form = new FormData()
  if (Object.keys(extras).length > 0) form.set('extras', JSON.stringify(extras))
  form.set('data', data)
  const response = await request(at('configuration', name, 'preview'), {
    method: 'POST',
    body: form,
    ...(signal ? { signal } : {}),
  })
  return response.blob()
}

export const check = (name: string): Promise<{ lines: CheckLine[] }> => send('POST', at('configuration', name, 'check'))

export const assetFile = (name: string): string => at('asset', name, 'file')

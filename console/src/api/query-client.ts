// Settings of the query cache: what is asked again, and when.
import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './client.ts'
import { isReachable, subscribeConnection } from './connection.ts'

// "Offline" of a browser means that it has no network beyond its own machine. The service may be on that machine, or be reached
// all the same: only an answer tells. So nothing waits for the browser to say "online".
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always',
      staleTime: 5000,
      // A refusal stays one however often it is asked; only a lost connection or a fault of the service may pass.
      retry: (count, error) => !(error instanceof ApiError && error.status < 500) && count < 3,
      retryDelay: count => Math.min(500 * 2 ** count, 5000),
      refetchOnWindowFocus: true,
    },
    mutations: { networkMode: 'always' },
  },
})

/** Once the service answers again, everything on screen is asked anew. */
subscribeConnection(() => {
  if (isReachable()) void queryClient.invalidateQueries()
})

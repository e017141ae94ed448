// Settings of the query cache: what is asked again, and when.
import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './client.ts'
import { isReachable, subscribeConnection } from './connection.ts'

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5000,
      // A refusal stays one however often it is asked; only a lost connection or a fault of the service may pass.
      retry: (count, error) => !(error instanceof ApiError && error.status < 500) && count < 3,
      retryDelay: count => Math.min(500 * 2 ** count, 5000),
      refetchOnWindowFocus: true,
    },
  },
})

/** Once the service answers again, everything on screen is asked anew. */
subscribeConnection(() => {
  if (isReachable()) void queryClient.invalidateQueries()
})

// Starts the console.
import './theme.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router'
import { queryClient } from './api/query-client.ts'
import { App } from './app.tsx'
import { askAgainForPictures } from './later/not-yet.ts'
import { PageNotFetched } from './parts/boundary.tsx'

const root = document.getElementById('root')
askAgainForPictures()
/** A page that is fetched again by itself is no error. */
const onCaughtError = (error: unknown): void => {
  if (!(error instanceof PageNotFetched)) console.error(error)
}
if (root)
  createRoot(root, { onCaughtError }).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <BrowserRouter>
          <App />
        </BrowserRouter>
      </QueryClientProvider>
    </StrictMode>,
  )

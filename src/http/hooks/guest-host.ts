// Serves nothing but the pages of guests under the address that guests see, where that is one of its own.
import { Problem } from '#kit/errors.ts'
import type { Settings } from '#kit/settings.ts'
import { type App, pathOf } from '../route/route.ts'

export function keepGuestsApart(app: App, { publicUrl, host, port }: Settings): void {
  if (publicUrl === null) return
  const guests = new URL(publicUrl).host
  if (guests === `${host}:${port}`) return
  app.addHook('onRequest', async request => {
    const path = pathOf(request)
    if (request.headers.host?.toLowerCase() === guests && !path.startsWith('/k/') && !path.startsWith('/wall/'))
      throw new Problem('not_found', 'Nothing is served here.')
  })
}

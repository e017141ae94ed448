// Answers for a wall that is opened while the service is away: a page that asks again by itself. It stores nothing.
const AWAY = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="3">
<meta name="viewport" content="width=device-width"><title>One moment</title>
<style>body { margin: 0; height: 100dvh; display: grid; place-content: center; text-align: center; background: #0c0b0d; color: #f6f3ee; font: 2rem/1.4 system-ui }</style>
</head><body><main><h1>One moment</h1><p>The wall comes back by itself.</p></main></body></html>`
const away = () =>
  new Response(AWAY, {
    status: 503,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    },
  })
addEventListener('install', () => self.skipWaiting())
addEventListener('activate', event => event.waitUntil(self.clients.claim()))
addEventListener('fetch', event => {
  if (event.request.mode !== 'navigate') return
  event.respondWith(
    fetch(event.request).then(
      answer => ([502, 504].includes(answer.status) ? away() : answer),
      () => away(),
    ),
  )
})

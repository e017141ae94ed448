// A photo booth: serves the page, and passes its pictures on to Keepsake, so that the token never leaves this machine.
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const keepsake = process.env.KEEPSAKE_URL ?? 'http://127.0.0.1:8080'
const token =
  process.env.KEEPSAKE_TOKEN ?? (existsSync('data/admin-token') ? readFileSync('data/admin-token', 'utf8').trim() : '')
const port = Number(process.env.BOOTH_PORT ?? 3000)
const page = readFileSync(new URL('index.html', import.meta.url))
const LIMIT = 20 * 1024 ** 2

if (token === '') {
  console.error('Set KEEPSAKE_TOKEN, or start this in the folder where Keepsake runs.')
  process.exit(1)
}

const authorization = `Bearer ${token}`
const api = (path, init = {}) =>
  fetch(`${keepsake}${path}`, {
    ...init,
    headers: { authorization, ...init.headers },
    signal: AbortSignal.timeout(60_000),
  })

/** What the booth does with a picture. PUT makes it or brings it up to date. */
const configuration = JSON.parse(readFileSync(new URL('configuration.json', import.meta.url), 'utf8'))

async function prepare() {
  const answer = await api(`/api/configuration/${configuration.configuration_name}/`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(configuration),
  })
  if (!answer.ok) throw new Error(`Keepsake refused the configuration: ${(await answer.json()).detail}`)
}

async function bodyOf(request) {
  const parts = []
  let size = 0
  for await (const part of request) {
    size += part.length
    if (size > LIMIT) return
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** The page makes one key for each picture: however often it sends it, Keepsake runs it once. */
async function accept(request, response, { searchParams }) {
  const picture = await bodyOf(request)
  if (!picture) return answer(response, 413, { error: 'The picture is larger than 20 MB.' })
  const form = new FormData()
  form.set('configuration_name', configuration.configuration_name)
  form.set('data', new Blob([picture], { type: 'image/jpeg' }), 'booth.jpg')
  const code = searchParams.get('code') ?? ''
  form.set('extras', JSON.stringify({ rfid: code, additional_context: { name: searchParams.get('name') ?? '' } }))
  const taken = await api('/api/task/', {
    method: 'POST',
    headers: { 'idempotency-key': String(request.headers['idempotency-key']) },
    body: form,
  })
  const body = await taken.json()
  answer(response, taken.status, taken.ok ? { task_id: body.task_id } : { error: body.detail })
}

async function status(response, id) {
  const found = await api(`/api/task/${id}/`)
  const { status, error, detail } = await found.json()
  answer(response, found.status, found.ok ? { status, error: error?.message } : { error: detail })
}

async function picture(response, id) {
  const found = await api(`/api/task/${id}/output/0/`)
  response.writeHead(found.status, { 'content-type': found.headers.get('content-type') ?? 'image/jpeg' })
  for await (const part of found.body) response.write(part)
  response.end()
}

function answer(response, code, body) {
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url ?? '/', 'http://booth')
  const [, place, id = '', what] = url.pathname.split('/')
  try {
    if (request.method === 'GET' && place === '')
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
    else if (request.method === 'POST' && place === 'photo') await accept(request, response, url)
    else if (place === 'photo' && /^[0-9a-f-]{36}$/.test(id))
      await (what === 'picture' ? picture(response, id) : status(response, id))
    else answer(response, 404, { error: 'There is nothing here.' })
  } catch (error) {
    if (response.headersSent) response.destroy()
    else answer(response, 503, { error: `Keepsake can’t be reached: ${error.message}` })
  }
})

await prepare()
server.listen(port, '127.0.0.1', () => console.log(`The booth is open at http://127.0.0.1:${server.address().port}`))

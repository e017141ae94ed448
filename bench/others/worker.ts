// The worker of the other services: sharp in the same process, as is usual, the result on disk, a signed callback. A process of its own.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp, { type OverlayOptions } from 'sharp'
import { Webhook } from 'standardwebhooks'
import { bullmq } from './bullmq.ts'
import { shelf } from './disk.ts'
import { graphile } from './graphile.ts'
import { type CallbackJob, options, type PhotoJob, type Steps } from './job.ts'

const ANSWER_MS = 15_000
const { queue, url, folder, webhookUrl, frame, photosAtOnce } = options()

// One thread for each photo: there are more photos at once than cores already.
sharp.concurrency(1)
sharp.cache(false)

/** Decoded once, not for each photo. */
const overlay = await decoded(await readFile(frame))
const results = shelf(join(folder, 'results'))
const webhook = new Webhook(`whsec_${Buffer.alloc(32, 7).toString('base64')}`)

async function decoded(png: Buffer): Promise<OverlayOptions> {
  const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return { input: data, raw: { width: info.width, height: info.height, channels: 4 } }
}

function make(path: string, steps: Steps): Promise<Buffer> {
  const turned = sharp(path).rotate(180)
  const made = steps === 'flip' ? turned : turned.resize(overlay.raw?.width, overlay.raw?.height).composite([overlay])
  return made.jpeg({ quality: 90 }).toBuffer()
}

async function photo({ id, path, steps }: PhotoJob): Promise<CallbackJob> {
  const bytes = await make(path, steps).catch(() => null)
  if (bytes) await results.keep(`${id}.jpg`, aside => writeFile(aside, bytes, { flush: true }))
  return { id, body: JSON.stringify({ task_id: id, status: bytes ? 'Succeeded' : 'Failed', results: [{ steps }] }) }
}

async function callback({ id, body }: CallbackJob): Promise<void> {
  const now = new Date()
  const answer = await fetch(webhookUrl, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': webhook.sign(id, now, body),
    },
    body,
    signal: AbortSignal.timeout(ANSWER_MS),
  })
  await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`the receiver answered ${answer.status}`)
}

const work = { photo, callback, photosAtOnce, callbacksAtOnce: 16 }
await { bullmq, graphile }[queue].consumer(url, work, () => process.exit(1))
console.log('ready')

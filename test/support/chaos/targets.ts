// Where souvenirs go: a bucket, a web address over HTTPS and a mail server. They are slow, busy, rude or lose their answers,
// and keep everything that they took.
import { setTimeout as sleep } from 'node:timers/promises'
import { newAuthority } from '../certificates.ts'
import { type Destination, startDestination } from '../chaos-destination.ts'
import { cleanUp, startOrCleanUp } from '../clean-up.ts'
import { startProxy } from '../flaky-proxy.ts'
import { startReceiver } from '../https-receiver.ts'
import { partsOf, startSmtp } from '../smtp.ts'

/** Something that was taken, with the marker it carried. */
export interface Taken {
  marker: string
  bytes: Buffer
}

export const mailUser = { name: 'booth-user', password: 'pass-word-1' }
export const targetNames = ['bucket', 'web', 'mail'] as const
export type TargetName = (typeof targetNames)[number]

export interface Targets {
  bucket: Destination
  /** What was really taken, also where the answer was lost. */
  taken: Record<'web' | 'mail', Taken[]>
  /** Where each is reached, and may be away. */
  ports: Record<TargetName, number>
  /** The certificate of the authority that the web address is signed by. */
  authority: string
  down(name: TargetName): Promise<void>
  up(name: TargetName): Promise<void>
  /** From now on everybody is well. */
  heal(): void
  stop(): Promise<void>
}

type Mood = 'fine' | 'late' | 'busy' | 'refuse' | 'cut' | 'hang'

/** `refuse`: a client has a reason to try again; `cut`: it was taken, but nobody hears of it. */
function moodOf(luck: number): Mood {
  if (luck < 0.76) return 'fine'
  if (luck < 0.84) return 'late'
  if (luck < 0.92) return 'busy'
  if (luck < 0.95) return 'refuse'
  return luck < 0.985 ? 'cut' : 'hang'
}

const LATE_MS = 2_000
/** Longer than a kill takes to be noticed, shorter than anybody's patience. */
const HANG_MS = 10_000

export async function startTargets(next: () => number): Promise<Targets> {
  const taken: Targets['taken'] = { web: [], mail: [] }
  let healed = false
  const mood = (): Mood => (healed ? 'fine' : moodOf(next()))
  const over = new AbortController()
  const pause = (ms: number) => sleep(ms, undefined, { signal: over.signal, ref: false }).catch(() => {})

  return startOrCleanUp(async later => {
    const bucket = await startDestination({ keepBytes: true })
    later(bucket.stop)
    bucket.mood = () => {
      const now = mood()
      if (now === 'cut' || now === 'hang') return 'lost_answer'
      return now === 'busy' || now === 'refuse' ? now : 'fine'
    }
    const authority = await newAuthority()
    const web = await startReceiver({
      tls: await authority.issue(['127.0.0.1']),
      async answer({ headers, body }, response) {
        web.received.length = 0
        const now = mood()
        if (now === 'busy') return void response.writeHead(503).end()
        if (now === 'refuse') return void response.writeHead(422).end('not this one')
        taken.web.push({ marker: String(headers['idempotency-key']), bytes: body })
        if (now === 'late') await pause(next() * LATE_MS)
        if (now === 'hang') await pause(HANG_MS)
        if (now === 'cut' || now === 'hang') response.destroy()
        else response.end('{"taken": true}')
      },
    })
    later(web.stop)
    const mail = await startSmtp({
      user: mailUser,
      async answer({ raw }) {
        mail.messages.length = 0
        const now = mood()
        if (now === 'busy') return 451
        if (now === 'refuse') return 554
        // It counts from here on, whether or not anybody hears of it.
        const attached = partsOf(raw).find(({ headers }) => /^content-disposition: attachment/im.test(headers))
        const marker = /^message-id: <([^@>]+)@/im.exec(raw)?.[1] ?? 'none'
        taken.mail.push({ marker, bytes: attached?.body ?? Buffer.alloc(0) })
        if (now === 'late') await pause(next() * LATE_MS)
        if (now === 'hang') await pause(HANG_MS)
        return now === 'cut' || now === 'hang' ? 'cut' : 0
      },
    })
    later(mail.stop)
    const proxies = {
      bucket: await startProxy({ port: Number(new URL(bucket.url).port) }),
      web: await startProxy({ port: web.port }),
      mail: await startProxy({ port: mail.port }),
    }
    return {
      bucket,
      taken,
      ports: { bucket: proxies.bucket.port, web: proxies.web.port, mail: proxies.mail.port },
      authority: authority.cert,
      down: name => proxies[name].down(),
      up: name => proxies[name].up(),
      heal() {
        healed = true
      },
      stop: () =>
        cleanUp(
          () => over.abort(),
          ...Object.values(proxies).map(proxy => proxy.stop),
          bucket.stop,
          web.stop,
          mail.stop,
        ),
    }
  })
}

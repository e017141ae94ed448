// Keepsake, started as `npm start` does it, as one of the systems that are compared.
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readPidFile } from '#postgres/postmaster.ts'
import { multipart, type Service, startService } from '../support/service.ts'
import { findBelow } from '../support/tree.ts'
import { signal } from './kept.ts'
import { startPostgres } from './servers.ts'
import {
  accepted,
  bodies,
  type Kind,
  type Running,
  SIZE,
  type Surroundings,
  type System,
  type Tenant,
} from './systems.ts'

const configurationOf: Record<Tenant, Record<Kind, string>> = {
  first: { flip: 'flip', chain: 'chain', small: 'flip' },
  second: { flip: 'second-flip', chain: 'second-flip', small: 'second-flip' },
}

async function configure(service: Service, { webhookUrl, pictures }: Surroundings): Promise<void> {
  const single = (configuration_name: string, experience_id: string, adapter_name: string, defaults: object) =>
    service.make('/api/configuration/', {
      configuration_name,
      experience_id,
      adapter_name,
      adapter_config: { auth: {}, defaults },
      webhook_url: webhookUrl,
    })
  const [width, height] = SIZE
  const asset = multipart({ experience_id: 'first', name: 'frame.png' }, pictures.frame, 'file')
  const sent = await service.ask('/api/asset/', asset)
  if (sent.status !== 201) throw new Error(sent.text)
  await single('flip', 'first', 'photo_flip', { method: 'ROTATE_180' })
  await single('second-flip', 'second', 'photo_flip', { method: 'ROTATE_180' })
  await single('smaller', 'first', 'photo_resize', { width, height })
  await single('framed', 'first', 'photo_add_overlay', { overlay_file_name: 'frame.png' })
  await service.make('/api/configuration/', {
    configuration_name: 'chain',
    experience_id: 'first',
    call_chain: [
      ['flip', null],
      ['smaller', 0],
      ['framed', 1],
    ],
    webhook_url: webhookUrl,
  })
}

function sender(service: Service, { pictures }: Surroundings): Running['send'] {
  const bodyOf = bodies(pictures, (kind, tenant) => ({ configuration_name: configurationOf[tenant][kind] }))
  return async (kind, tenant = 'first', key) =>
    accepted(await service.ask('/api/task/', bodyOf(kind, tenant), key ? { 'idempotency-key': key } : {}))
}

/** When its supervisor has started it again; `find` rejects or throws until then. */
async function another(than: number, find: () => number): Promise<void> {
  for (let left = 600; left > 0; left--) {
    try {
      const pid = find()
      if (pid > 0 && pid !== than) return
    } catch {
      // Not there yet.
    }
    await sleep(100)
  }
  throw new Error('the supervisor did not start it again')
}

/** Every turn is on the same data folder, whose cluster graphile-worker uses in between. `main`: that of another copy of the project. */
export function keepsakeOn(dataFolder: string, around: Surroundings, main?: string): System {
  let isConfigured = false
  return {
    name: 'Keepsake',

    async start() {
      const service = await startService(dataFolder, {}, main)
      try {
        if (!isConfigured) await configure(service, around)
        isConfigured = true
      } catch (error) {
        await service.stop()
        throw error
      }
      const worker = (): number => findBelow(service.pid, 'keepsake worker')
      const postmaster = (): number => readPidFile(join(dataFolder, 'postgres'))?.pid ?? 0
      const kill = async (find: () => number): Promise<void> => {
        const pid = find()
        signal(pid, 'SIGKILL')
        await another(pid, find)
      }
      return {
        roots: () => [service.pid],
        send: sender(service, around),
        killWorker: () => kill(worker),
        killServer: () => kill(postmaster),
        stop: () => service.stop(),
      }
    },

    /** API and worker as on machines of their own, which is how one of them can run without the other. */
    async startEmpty() {
      const folder = join(around.folder, 'keepsake-roles')
      const postgres = await startPostgres(dataFolder, 'roles')
      const started: Service[] = []
      const secretKey = randomBytes(32).toString('base64')
      const run = async (role: 'api' | 'worker'): Promise<Service> => {
        const env = { DATABASE_URL: postgres.url, KEEPSAKE_ROLE: role, KEEPSAKE_SECRET_KEY: secretKey }
        const service = await startService(folder, env)
        started.push(service)
        return service
      }
      const stop = async (): Promise<void> => {
        await Promise.all(started.map(service => service.stop()))
        await postgres.stop()
        await rm(folder, { recursive: true, force: true, maxRetries: 5 })
      }
      try {
        const api = await run('api')
        await configure(api, around)
        return {
          roots: () => [...started.map(({ pid }) => pid), postgres.pid()],
          send: sender(api, around),
          startWorker: async () => void (await run('worker')),
          killWorker: () => Promise.reject(new Error('is killed in a whole Keepsake')),
          killServer: () => postgres.kill(),
          stop,
        }
      } catch (error) {
        await stop()
        throw error
      }
    },
  }
}

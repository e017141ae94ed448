// Floods that one experience sends: by a token of scope tasks, or by the link of a guest of its own.
import { once } from 'node:events'
import { request } from 'node:http'
import sharp from 'sharp'
import { svgOfFilters, withEmptyScans } from '../../test/support/hostile-files.ts'
import type { Crowd, Targets } from './crowd.ts'
import { photo } from './photos.ts'
import { multipart, multipartType } from './service.ts'

/** The work that the other experience waits for beside a flood. */
export type Wanted = 'photo' | 'preview' | 'picture'

export interface Flood {
  what: string
  wanted: Wanted[]
  /** Resolves once it is under way. */
  begin(): Promise<Running>
}

export interface Running {
  /** How many of its tasks or requests are not over yet. */
  left(): Promise<number>
  end(): Promise<void>
}

interface Files {
  photo: Buffer
  /** Of thousands of scans, which is refused, and of as many as are taken. */
  scans: readonly [Buffer, Buffer]
}

async function newFiles(): Promise<Files> {
  const [width, height] = [4000, 3000]
  const plain = sharp({ create: { width, height, channels: 3, background: '#246' } })
  const jpeg = await plain.jpeg({ progressive: true }).toBuffer()
  return {
    photo: await photo(1632, 1224).jpeg({ quality: 90 }).toBuffer(),
    scans: [withEmptyScans(jpeg, width, height, 80_000), withEmptyScans(jpeg, width, height, 85)],
  }
}

const SENDERS = 16

/** Does it so many times, some at once. */
async function times(count: number, atOnce: number, work: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    for (let at = next++; at < count; at = next++) await work(at)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

type Send = (at: number) => Promise<string>

function taskFloods({ send, left, cancelAll }: Crowd, targets: Targets, { photo: data, scans }: Files): Flood[] {
  const flood = (count: number, what: string, one: Send): Flood => ({
    what: `${count} ${what}`,
    wanted: ['photo'],
    async begin() {
      await times(count, SENDERS, one)
      return { left, end: cancelAll }
    },
  })
  const drawing = { configuration_name: 'frame', data, overlay_file_name_data: svgOfFilters(2) }
  const from = (path: string): Send => {
    return () => send({ configuration_name: 'turn', data_url: targets.url + path })
  }
  return [
    flood(20, 'deliveries with a bearer to a receiver that answers 8 KB of JSON', () =>
      send({ configuration_name: 'keep', data }),
    ),
    flood(40, 'deliveries to a receiver that never answers', () => send({ configuration_name: 'hang', data })),
    flood(40, 'addresses of files that never answer', from('/hang')),
    flood(40, 'addresses of files that come drop by drop', from('/drip')),
    flood(12, 'JPEGs of 80,000 empty scans, or of as many as are taken', at =>
      send({ configuration_name: 'turn', data: scans[at % 2] as Buffer }),
    ),
    flood(6, 'overlays that are drawings made to cost much', () => send(drawing)),
    flood(150, 'photos', () => send({ configuration_name: 'turn', data })),
  ]
}

type Ask = (signal: AbortSignal) => Promise<Response>

/** Asks for all of the list, so many at once. */
function asking(list: readonly Ask[], atOnce: number): Running {
  const stop = new AbortController()
  let left = list.length
  const all = times(list.length, atOnce, async at => {
    const answer = list[at]?.(stop.signal)
    await answer?.then(each => each.arrayBuffer()).catch(() => {})
    left--
  })
  return {
    left: async () => left,
    async end() {
      stop.abort()
      await all
    },
  }
}

function pageFloods({ send, idle }: Crowd, { photo: data, scans }: Files): Flood[] {
  /** Pages whose file is what came in. */
  async function pages(count: number, bytes: readonly Buffer[]): Promise<string[]> {
    const list: string[] = []
    await times(count, SENDERS, async at => {
      list.push(await send({ configuration_name: 'keep', data: bytes[at % bytes.length] as Buffer }))
    })
    await idle()
    return list
  }
  return [
    {
      what: '150 QR codes of one guest as PNG, 50 at once',
      wanted: ['photo'],
      async begin() {
        const [page] = await pages(1, [data])
        return asking(
          Array(150).fill((signal: AbortSignal) => fetch(`${page}/qr.png`, { signal })),
          50,
        )
      },
    },
    {
      what: '60 pictures of those JPEGs for pages of guests, all at once',
      wanted: ['photo', 'picture'],
      async begin() {
        const paths = (await pages(20, scans)).map(page => `${page}/file/0?size=`)
        const urls = paths.flatMap(path => [640, 1280, 2048].map(size => path + size))
        return asking(
          urls.map(url => signal => fetch(url, { signal })),
          urls.length,
        )
      },
    },
  ]
}

function apiFloods({ by }: Crowd, url: string, { scans }: Files): Flood[] {
  const bodies = scans.map(each => new Uint8Array(multipart({}, each)))
  const preview = (at: number): Ask => {
    const asked = {
      method: 'POST',
      body: bodies[at % 2] as Uint8Array<ArrayBuffer>,
      headers: { ...by(at), ...multipartType },
    }
    return signal => fetch(`${url}/api/configuration/turn/preview/`, { ...asked, signal })
  }
  /** The body never comes to its end. */
  async function slowUpload() {
    const headers = { ...by(0), ...multipartType, 'content-length': 1_000_000 }
    const upload = request(`${url}/api/task/`, { method: 'POST', headers, agent: false }).on('error', () => {})
    upload.write('--')
    const [socket] = await once(upload, 'socket')
    if (socket.connecting) await once(socket, 'connect')
    return upload
  }
  return [
    {
      what: '40 previews of those JPEGs by three tokens, 12 at once',
      wanted: ['photo', 'preview'],
      begin: async () =>
        asking(
          Array.from({ length: 40 }, (_, at) => preview(at)),
          12,
        ),
    },
    {
      what: '150 uploads that stand still',
      wanted: ['photo'],
      async begin() {
        const uploads = await Promise.all(Array.from({ length: 150 }, slowUpload))
        return {
          left: async () => uploads.filter(({ destroyed }) => !destroyed).length,
          end: async () => uploads.forEach(upload => void upload.destroy()),
        }
      },
    },
  ]
}

export async function newFloods(crowd: Crowd, url: string, targets: Targets): Promise<Flood[]> {
  const files = await newFiles()
  return [...taskFloods(crowd, targets, files), ...apiFloods(crowd, url, files), ...pageFloods(crowd, files)]
}

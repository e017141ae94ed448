// The two pools of media children: pictures and videos have children of their own, so that a photo never waits behind an encode.
import { dirname, join } from 'node:path'
import type { Log } from '#kit/log.ts'
import { mediaEnvironment, type Settings } from '#kit/settings.ts'
import { OWN_MEMORY, type Tools } from '#media/file/media-limits.ts'
import { letPass, newRoom } from '#media/process/child-room.ts'
import { fillCompileCache, shareCompileCache } from '#media/process/compile-cache.ts'
import { mostMemory } from '#media/process/ffmpeg.ts'
import { nextUser } from '#media/process/find-jail.ts'
import { type Jail, jailLine } from '#media/process/jail.ts'
import { newPool, type Pool } from '#media/process/pool.ts'
import { visiblePathsOf } from './visible-paths.ts'

export interface MediaPool extends Pool {
  /** What one of its children may take, and so each of its tools. */
  memoryBytes: number
}

export interface Pools {
  pictures: MediaPool
  videos: MediaPool
}

interface PoolsOptions {
  settings: Settings
  /** The programs that children may see. */
  programs: Pick<Tools, 'ffmpeg' | 'ffprobe' | 'jpegtran'>
  jail: Jail
  rooms: string
  script: string
  keepWarm: number
  log: Log
}

export function newPools({ settings, programs, jail, rooms, script, keepWarm, log }: PoolsOptions): Pools {
  const { concurrency, maxMemoryBytes, maxVideoPixels } = settings
  const env = mediaEnvironment(settings)
  const sight = visiblePathsOf(settings, programs, script)
  const pictureMemory = maxMemoryBytes + OWN_MEMORY
  const videoMemory = Math.max(pictureMemory, mostMemory(maxVideoPixels))
  let count = 0
  const pool = (size: number, memoryBytes: number, warm: number): MediaPool => ({
    memoryBytes,
    ...newPool({
      script,
      newRoom() {
        const room = newRoom(join(rooms, String(++count)), nextUser(jail))
        if (jail.setpriv && !jail.bwrap) letPass(dirname(rooms))
        if (room.user !== null) shareCompileCache(room.user)
        return room
      },
      jailed: room => jailLine(jail, room, sight, { memoryBytes }),
      size,
      keepWarm: warm,
      env,
      log,
    }),
  })
  const pictures = pool(concurrency * 2, pictureMemory, keepWarm)
  pictures.warm()
  fillCompileCache(script, env)?.unref()
  return { pictures, videos: pool(concurrency, videoMemory, 0) }
}

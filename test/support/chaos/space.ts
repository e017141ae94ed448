// The disk that a deployment keeps its files on: it can be taken away, and it can be full.
import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

export interface Space {
  folder: string
  blobs: string
  /** `broken`: nothing can be read, written or made there; `empty`: as when a disk is not mounted. */
  takeAway(how: 'broken' | 'empty'): void
  bringBack(): void
  /** `pids`: whose writes fail where the disk itself cannot be filled. */
  fill(pids: () => number[]): void
  empty(): void
  /** How it is filled here. */
  kind: string
  stop(): void
}

const MiB = 1024 ** 2

/** With the rights of root a small file system of its own, that can really be full. `mounts`: whether to try that. */
export function newSpace(folder: string, bytes: number, mounts = true): Space {
  mkdirSync(folder, { recursive: true, mode: 0o711 })
  const size = Math.ceil(bytes / MiB)
  const isOwn =
    mounts && spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}m,mode=711`, 'keepsake-chaos', folder]).status === 0
  const blobs = join(folder, 'blobs')
  const ballast = join(folder, 'ballast')
  mkdirSync(blobs, { mode: 0o700 })
  let limited: number[] = []
  let shadows = 0
  const bringBack = (): void => {
    if (!existsSync(`${blobs}.away`)) return
    // What was put into the empty place meanwhile is hidden by the disk, as below a mount.
    if (existsSync(blobs)) renameSync(blobs, `${blobs}.hidden-${++shadows}`)
    renameSync(`${blobs}.away`, blobs)
  }
  const limit = (pid: number, most: string) => spawnSync('prlimit', [`--pid=${pid}`, `--fsize=${most}`])
  const empty = (): void => {
    rmSync(ballast, { force: true })
    for (const pid of limited) limit(pid, 'unlimited')
    limited = []
  }
  return {
    folder,
    blobs,
    kind: isOwn ? 'a full file system' : 'a limit on the size of files',
    takeAway(how) {
      renameSync(blobs, `${blobs}.away`)
      if (how === 'broken') writeFileSync(blobs, '')
    },
    bringBack,
    fill(pids) {
      if (isOwn) return pour(ballast)
      limited = pids()
      for (const pid of limited) limit(pid, '0:unlimited')
    },
    empty,
    stop() {
      empty()
      if (isOwn) spawnSync('umount', ['-l', folder])
    },
  }
}

/** Writes until nothing more fits, not even one block. */
function pour(path: string): void {
  const file = openSync(path, 'a')
  for (const bytes of [8 * MiB, 64 * 1024, 4096]) {
    const drop = Buffer.alloc(bytes)
    try {
      while (writeSync(file, drop) > 0);
    } catch {
      // ENOSPC: smaller drops may still fit.
    }
  }
  closeSync(file)
}

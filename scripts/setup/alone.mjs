// Two first starts at once: the second waits until the first has set everything up.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from './run.mjs'

const EVERY_MS = 300

/** Resolves to the function that lets the next one in. A socket's address is held by one process and freed by its end. */
export async function alone(say) {
  const name = `keepsake-setup-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`
  // On Linux an abstract socket, which leaves no file behind; elsewhere a file that must be removed after a crash.
  const address = process.platform === 'linux' ? `\0${name}` : join(tmpdir(), `${name}.sock`)
  for (let told = false; ; ) {
    const server = createServer().listen(address)
    try {
      await once(server, 'listening')
      return () => server.close()
    } catch (error) {
      if (error.code !== 'EADDRINUSE') throw error
      if (!told)
        say(
          `another start is setting things up; waiting for it${process.platform === 'linux' ? '' : ` (stuck? remove ${address})`} …`,
        )
      told = true
      await sleep(EVERY_MS)
    }
  }
}

// A child that misbehaves on demand, for the tests of the pool.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { getPriority } from 'node:os'
import { Problem } from '#kit/errors.ts'
import { serve } from '#media/process/media-child.ts'

interface Order {
  do: 'echo' | 'die' | 'hang' | 'spin' | 'refuse' | 'tools' | 'look' | 'wait' | 'full'
  value?: unknown
}

// Threads that run before the child steps back, as those of libvips do.
await stat('.')

serve(async (request, emit) => {
  const order = request as Order
  switch (order.do) {
    case 'echo':
      emit({ half: true })
      return { value: order.value, pid: process.pid }
    case 'die':
      return process.abort()
    case 'spin':
      for (;;);
    case 'full':
      throw Object.assign(new Error('no space left on device, write'), { code: 'ENOSPC' })
    case 'refuse':
      throw new Problem('corrupt_input', 'No.')
    case 'tools': {
      const tool = spawn('sleep', ['600'])
      emit({ pid: tool.pid })
      return new Promise(() => {})
    }
    case 'look':
      return {
        env: Object.keys(process.env),
        threads: readdirSync('/proc/self/task').map(thread => ({
          name: readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim(),
          nice: getPriority(Number(thread)),
        })),
      }
    case 'wait':
      return new Promise(resolve => setTimeout(() => resolve(process.pid), order.value as number))
    default:
      return new Promise(() => {})
  }
})

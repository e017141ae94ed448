// A child that misbehaves on demand, for the tests of the pool.
import { spawn } from 'node:child_process'
import { getPriority } from 'node:os'
import { Problem } from '#kit/errors.ts'
import { serve } from '#media/process/media-child.ts'

interface Order {
  do: 'echo' | 'die' | 'hang' | 'spin' | 'refuse' | 'tools' | 'look' | 'wait'
  value?: unknown
}

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
    case 'refuse':
      throw new Problem('corrupt_input', 'No.')
    case 'tools': {
      const tool = spawn('sleep', ['600'])
      emit({ pid: tool.pid })
      return new Promise(() => {})
    }
    case 'look':
      return { env: Object.keys(process.env), nice: getPriority() }
    case 'wait':
      return new Promise(resolve => setTimeout(() => resolve(process.pid), order.value as number))
    default:
      return new Promise(() => {})
  }
})

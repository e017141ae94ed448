// A webhook receiver for tests that lets them wait for the callback of a task.
import { type Answer, type Received, startReceiver } from './https-receiver.ts'
import { until } from './until.ts'

export interface CallbackReceiver {
  url: string
  received: Received[]
  /** The exact text of the callback that names this task; waits for it. */
  bodyFor(taskId: string): Promise<string>
  /** Every request that named this task so far. */
  allFor(taskId: string): Received[]
  stop(): Promise<void>
}

export async function startCallbackReceiver(answer?: Answer): Promise<CallbackReceiver> {
  const receiver = await startReceiver({
    answer: async (request, response) => {
      if (answer) await answer(request, response)
      else response.end()
    },
  })
  const allFor = (taskId: string): Received[] => receiver.received.filter(({ body }) => body.includes(taskId))
  return {
    url: `${receiver.url}/hook`,
    received: receiver.received,
    allFor,
    async bodyFor(taskId) {
      const { body } = await until(`the callback of ${taskId} has come`, () => allFor(taskId)[0], undefined, 5)
      return body.toString()
    },
    stop: () => receiver.stop(),
  }
}

/** For rows of callbacks that are made by hand. */
export const someCallbackBody = JSON.stringify({
  task_id: '019a8424-5d3e-7c31-9d0b-5a2f3e0c7b11',
  configuration: 'some',
  status: 'Failed',
  results: [],
})

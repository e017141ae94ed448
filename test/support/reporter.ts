// Tells of a run as `spec` of Node does. Of a file that failed outside of its tests it also says how the file ended, and what was heard of it last.
import { Readable } from 'node:stream'
import { spec, type TestEvent } from 'node:test/reporters'

/** So much is kept of what each file wrote to stderr, and of what Node noted of it. */
const MOST = 4_000

export default async function* reporter(events: AsyncIterable<TestEvent>) {
  yield* Readable.from(withEndings(events)).pipe(new spec())
}

async function* withEndings(events: AsyncIterable<TestEvent>) {
  const heard = new Map<string, string>()
  for await (const event of events) {
    if (event.type === 'test:stderr' || event.type === 'test:diagnostic') {
      const { file = '', message } = event.data
      heard.set(file, `${heard.get(file) ?? ''}${message.trimEnd()}\n`.slice(-MOST))
    }
    if (event.type === 'test:fail') {
      const error = event.data.details.error as Error & { exitCode?: number; signal?: string }
      const how = error.signal ?? (error.exitCode === undefined ? null : `exit code ${error.exitCode}`)
      const last = heard.get(event.data.file ?? '')?.trim() ?? 'nothing'
      const told = `its process ended with ${how}; last heard: ${last}`
      if (how) error.cause = Object.assign(new Error(told), { stack: told })
    }
    yield event
  }
}

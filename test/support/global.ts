// Runs once around a whole test run: one PostgreSQL for all test files.
import { startForRun } from './postgres.ts'

let stop: (() => Promise<void>) | undefined

export async function globalSetup(): Promise<void> {
  stop = await startForRun()
}

export async function globalTeardown(): Promise<void> {
  await stop?.()
}

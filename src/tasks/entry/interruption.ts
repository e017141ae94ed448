// The Problem of an entry that an unforeseen error interrupted.
import { Problem } from '#kit/errors.ts'

/** It says nothing about the entry yet: another try, perhaps on another worker, may succeed. */
export class Interruption extends Problem {}

/** Another worker may have the adapter. */
export const lacksAdapter = ({ adapter_name }: { adapter_name: string }): Interruption =>
  new Interruption('unknown_adapter', `No worker that took it up has the adapter "${adapter_name}".`)

// The Problem of an entry that an unforeseen error interrupted.
import { Problem } from '#kit/errors.ts'

/** It says nothing about the entry yet: another try, perhaps on another worker, may succeed. */
export class Interruption extends Problem {}

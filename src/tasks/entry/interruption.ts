// The problem of an entry that was interrupted by something nobody foresaw.
import { Problem } from '#kit/errors.ts'

/** It says nothing of the entry yet: another try, perhaps of another worker, may do better. */
export class Interruption extends Problem {}

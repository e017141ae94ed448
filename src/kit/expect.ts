// What a writer expects of a thing that it changes, checked inside the transaction that writes.

/** Gets the thing as it is now, null if there is none. Throws if that is not what the caller expects. */
export type Expect<T> = (current: T | null) => void

export const anything: Expect<unknown> = () => {}

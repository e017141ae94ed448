// The error whose message is the one line an operator reads when a start is refused.

export class CannotStart extends Error {}

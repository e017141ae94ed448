// The error whose message is the one line an operator reads when a start is refused.

export class CannotStart extends Error {}

/** A command line that says something wrong or too little; its exit code is another one. */
export class BadCommand extends CannotStart {}

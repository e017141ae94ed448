// Who changes something: kept with the change.

export interface Actor {
  kind: 'token' | 'session' | 'command_line' | 'guest'
  /** Null: the operator. */
  token_id: string | null
  /** Of the token, or of the command. */
  name: string
  /** Where the request came from; null for a command and for a guest. */
  address: string | null
}

export const commandLine = (command: string): Actor => ({
  kind: 'command_line',
  token_id: null,
  name: `keepsake ${command}`,
  address: null,
})

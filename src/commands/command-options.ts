// What a command declares, and the options that several of them have.

export interface Option {
  type: 'string' | 'boolean'
  short?: string
  multiple?: boolean
  /** What the value is, in capitals. */
  value?: string
  about: string
  /** What the shell completes the value with. */
  completes?: 'configurations' | 'experiences' | readonly string[]
}

export interface Command {
  /** Beside the name: what stands there without an option's name. */
  usage: string
  about: string
  group: 'files' | 'many' | 'events' | 'server' | 'other'
  options: Record<string, Option>
  examples?: readonly string[]
  /** What the shell completes the words with. */
  completes?: 'configurations' | 'experiences' | 'files' | readonly string[]
}

export const url = {
  type: 'string',
  value: 'URL',
  about: 'The server; else KEEPSAKE_URL, else that of `keepsake login`.',
} as const satisfies Option
export const json = { type: 'boolean', about: 'Print JSON instead of tables.' } as const satisfies Option
export const local = {
  type: 'boolean',
  about: 'Use the database and files of this machine, without a server.',
} as const satisfies Option
export const wait = {
  type: 'boolean',
  about: 'Wait for the end; without it the command ends when the task is accepted.',
} as const satisfies Option
export const out = {
  type: 'string',
  value: 'FOLDER',
  about: 'Where results are saved; `.` unless told. Implies --wait. A name that is taken gets a number.',
} as const satisfies Option
export const force = {
  type: 'boolean',
  about: 'Results replace files of the same name that are there already.',
} as const satisfies Option
export const dryRun = { type: 'boolean', about: 'Only say what would happen.' } as const satisfies Option
export const yes = { type: 'boolean', short: 'y', about: 'Do not ask.' } as const satisfies Option
export const limit = {
  type: 'string',
  value: 'NUMBER',
  about: 'How many at most; 50 unless told.',
} as const satisfies Option
const statuses = ['Waiting', 'Running', 'Succeeded', 'Failed', 'Cancelled'] as const
export const filters = {
  status: { type: 'string', value: 'STATUS', about: `One of ${statuses.join(', ')}.`, completes: statuses },
  configuration: {
    type: 'string',
    short: 'c',
    value: 'NAME',
    about: 'Of this configuration.',
    completes: 'configurations',
  },
  experience: { type: 'string', value: 'ID', about: 'Of this experience.', completes: 'experiences' },
  'error-code': { type: 'string', value: 'CODE', about: 'That failed with this code.' },
  'created-after': { type: 'string', value: 'TIME', about: 'Made after this time.' },
  'created-before': { type: 'string', value: 'TIME', about: 'Made before this time.' },
} as const satisfies Record<string, Option>
export const groupsToo = { type: 'boolean', about: 'Task groups instead of tasks.' } as const satisfies Option

export const kinds = [
  'tasks',
  'groups',
  'configurations',
  'assets',
  'profiles',
  'activities',
  'callbacks',
  'experiences',
  'tokens',
  'adapters',
  'audit',
] as const

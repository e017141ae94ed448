// Every command with its options: help, completion, the parser and docs/command-line.md are made from this table.
import type { parseArgs } from 'node:util'
import {
  type Command,
  dryRun,
  filters,
  force,
  groupsToo,
  json,
  kinds,
  limit,
  local,
  out,
  url,
  wait,
  yes,
} from './command-options.ts'

export type { Command, Option } from './command-options.ts'

export const groups: Record<Command['group'], string> = {
  files: 'Files',
  many: 'Looking and mending',
  events: 'Whole events',
  server: 'Running the service',
  other: 'Other',
}

export const commands = {
  run: {
    group: 'files',
    usage: 'FILE…',
    about: 'run a configuration on files',
    completes: 'files',
    options: {
      configuration: {
        type: 'string',
        short: 'c',
        value: 'NAME',
        about: 'The configuration, single or chained.',
        completes: 'configurations',
      },
      extras: { type: 'string', value: 'JSON', about: 'Extras of each task: a JSON object, or @FILE with one.' },
      data: {
        type: 'string',
        multiple: true,
        value: 'PARAMETER=FILE',
        about: 'A file for a parameter that names an asset; may be repeated.',
      },
      experience: {
        type: 'string',
        value: 'ID',
        about: 'The experience, where the configuration is shared by all.',
        completes: 'experiences',
      },
      wait,
      out,
      force,
      local,
      json,
      url,
    },
    examples: [
      'keepsake run photo.jpg -c booth --extras \'{"rfid": ["04A2B9"]}\' --wait',
      'keepsake run party/*.jpg -c booth --out made',
      'keepsake run 1.jpg -c strip --data photo_file_names=2.jpg --data photo_file_names=3.jpg --data photo_file_names=4.jpg --wait',
    ],
  },
  group: {
    group: 'files',
    usage: 'NAME=@FILE|NAME=EARLIER…',
    about: 'run several configurations in order, each on a file or on what an earlier one made',
    options: {
      extras: {
        type: 'string',
        multiple: true,
        value: 'NAME=JSON',
        about: 'Extras of one configuration; may be repeated.',
      },
      webhook: { type: 'string', value: 'URL', about: 'Where the callback goes.' },
      'on-failure': {
        type: 'string',
        value: 'stop|continue',
        about: 'Whether those that need nothing of a failed one still run.',
        completes: ['stop', 'continue'],
      },
      experience: {
        type: 'string',
        value: 'ID',
        about: 'The experience, where all configurations are shared.',
        completes: 'experiences',
      },
      wait,
      out,
      force,
      json,
      url,
    },
    examples: [
      'keepsake group badge=@logo.png portrait=@guest.jpg card=portrait --extras \'card={"overlay_file_name_override": "badge"}\' --wait',
    ],
  },
  get: {
    group: 'many',
    usage: `KIND [NAME|ID]`,
    about: 'list things, read one, or save the results of a task',
    completes: kinds,
    options: {
      ...filters,
      limit,
      names: { type: 'boolean', about: 'Print only the names or ids, one a line.' },
      out: { type: 'string', value: 'FOLDER', about: 'Save the files of the task there.' },
      json,
      url,
    },
    examples: [
      'keepsake get tasks --status Failed',
      'keepsake get configuration booth --json',
      'keepsake get task 019a8424-5d3e-7c31-9d0b-5a2f3e0c7b11 --out made',
    ],
  },
  tail: {
    group: 'many',
    usage: '[TASK_ID]',
    about: 'follow all tasks as they change, or one until its end',
    options: {
      groups: groupsToo,
      status: filters.status,
      configuration: filters.configuration,
      experience: filters.experience,
      json,
      url,
    },
    examples: ['keepsake tail', 'keepsake tail --status Failed --json'],
  },
  search: {
    group: 'many',
    usage: 'WORDS',
    about: 'find guests, tasks, configurations and assets',
    options: { json, url },
  },
  retry: {
    group: 'many',
    usage: '[TASK_ID…]',
    about: 'run failed or cancelled tasks again: those named, or all that the options find',
    options: { ...filters, groups: groupsToo, 'dry-run': dryRun, yes, json, url },
    examples: ['keepsake retry --status Failed --error-code unavailable --dry-run'],
  },
  cancel: {
    group: 'many',
    usage: '[TASK_ID…]',
    about: 'cancel tasks: those named, or all that the options find',
    options: { ...filters, groups: groupsToo, 'dry-run': dryRun, yes, json, url },
  },
  resend: {
    group: 'many',
    usage: '[CALLBACK_ID…]',
    about: 'send callbacks again: those named, or all that were given up',
    options: {
      status: {
        type: 'string',
        value: 'STATUS',
        about: 'Waiting, Delivered or GivenUp; GivenUp unless told.',
        completes: ['Waiting', 'Delivered', 'GivenUp'],
      },
      experience: filters.experience,
      'created-after': filters['created-after'],
      'created-before': filters['created-before'],
      'dry-run': dryRun,
      yes,
      json,
      url,
    },
  },
  check: {
    group: 'events',
    usage: 'CONFIGURATION…',
    about: 'check configurations before the doors open: options, assets, destinations, webhooks',
    completes: 'configurations',
    options: { experience: { ...filters.experience, about: 'Every configuration of this experience.' }, json, url },
  },
  apply: {
    group: 'events',
    usage: 'FILE…',
    about: 'make assets, configurations and experiences what files say: all of it or nothing',
    completes: 'files',
    options: {
      'dry-run': { type: 'boolean', about: 'Only show what would change.' },
      prune: { type: 'boolean', about: 'Delete what the experiences of the files have and the files do not.' },
      yes,
      local,
      json,
      url,
    },
    examples: ['keepsake apply event.yaml --dry-run', 'S3_SECRET=… keepsake apply event.yaml --prune'],
  },
  export: {
    group: 'events',
    usage: 'EXPERIENCE…',
    about: 'write experiences with their configurations and assets to a folder, as apply reads them',
    completes: 'experiences',
    options: {
      out: { type: 'string', value: 'FOLDER', about: 'Where to; a folder of the name of the experience unless told.' },
      json,
      url,
    },
  },
  verify: {
    group: 'other',
    usage: 'callback|receipt [FILE]',
    about: 'tell whether a callback, or the receipt of an erasure, is genuine, without a server',
    completes: ['callback', 'receipt'],
    options: {
      headers: {
        type: 'string',
        value: 'FILE',
        about: 'The headers as they came: lines of `name: value`, or a JSON object.',
      },
      body: { type: 'string', value: 'FILE', about: 'The body as it came; `-` for standard input.' },
      secret: { type: 'string', value: 'SECRET', about: 'The secret (whsec_…); else KEEPSAKE_WEBHOOK_SECRET.' },
      tolerance: { type: 'string', value: 'SECONDS', about: 'How old it may be; 300 unless told.' },
      key: {
        type: 'string',
        value: 'FILE',
        about: 'Of a receipt: the key, as `/api/erasure/key/` answers it or as PEM; else that of this deployment.',
      },
      json,
    },
    examples: [
      'keepsake verify callback --headers headers.txt --body body.json',
      'keepsake verify receipt receipt.json --key key.json',
    ],
  },
  login: {
    group: 'other',
    usage: 'URL',
    about: 'remember a server and a token for all commands',
    options: {
      token: {
        type: 'string',
        value: 'TOKEN',
        about: 'The token; else KEEPSAKE_TOKEN, else asked for, else read from standard input.',
      },
    },
  },
  logout: { group: 'other', usage: '', about: 'forget the server and the token', options: {} },
  token: {
    group: 'other',
    usage: '[list|delete ID]',
    about: 'make a token, list them, or delete one',
    completes: ['list', 'delete'],
    options: {
      name: { type: 'string', value: 'NAME', about: 'What it is for.' },
      scope: {
        type: 'string',
        value: 'SCOPE',
        about: 'read, tasks, write or admin; tasks unless told.',
        completes: ['read', 'tasks', 'write', 'admin'],
      },
      experience: {
        type: 'string',
        multiple: true,
        value: 'ID',
        about: 'Only this experience; may be repeated.',
        completes: 'experiences',
      },
      expires: { type: 'string', value: 'TIME', about: 'When it ends.' },
      limit: {
        type: 'string',
        multiple: true,
        value: 'NAME=NUMBER',
        about: 'requests_per_minute, waiting_tasks, upload_bytes_per_day or streams; may be repeated.',
      },
      local,
      json,
      url,
    },
  },
  completion: {
    group: 'other',
    usage: 'bash|zsh|fish',
    about: 'print what makes the shell complete commands, options and names',
    completes: ['bash', 'zsh', 'fish'],
    options: {},
    examples: [
      'keepsake completion bash > /etc/bash_completion.d/keepsake',
      'keepsake completion fish > ~/.config/fish/completions/keepsake.fish',
    ],
  },
  serve: {
    group: 'server',
    usage: '',
    about: '(default) everything KEEPSAKE_ROLE names, under a supervisor',
    options: {},
  },
  api: { group: 'server', usage: '', about: 'only the HTTP API, in this process', options: {} },
  worker: { group: 'server', usage: '', about: 'only the worker, in this process', options: {} },
  migrate: { group: 'server', usage: '', about: 'bring the database up to date', options: {} },
  backup: {
    group: 'server',
    usage: 'FOLDER',
    about: 'copy database, files and keys into a new folder, while the service runs',
    completes: 'files',
    options: {},
  },
  restore: {
    group: 'server',
    usage: 'FOLDER',
    about: 'bring a backup into an empty database and data folder',
    completes: 'files',
    options: {},
  },
  'rotate-key': {
    group: 'server',
    usage: '',
    about: 'seal all secrets anew with the newest key of KEEPSAKE_SECRET_KEY, while the service runs',
    options: {},
  },
  health: {
    group: 'server',
    usage: '',
    about: 'whether the service of this machine answers, by its exit code; for health checks',
    options: {},
  },
  doctor: {
    group: 'server',
    usage: '',
    about: 'what this machine has and lacks; with a server, how that one is',
    options: { local, url },
  },
  help: { group: 'other', usage: '[COMMAND]', about: 'this text, or that of a command', options: {} },
  version: { group: 'other', usage: '', about: 'the version', options: {} },
} as const satisfies Record<string, Command>

export type Name = keyof typeof commands

/** What was given to a command: the values of its options, and the words without an option's name. */
export type Given<N extends Name> = ReturnType<
  typeof parseArgs<{ options: (typeof commands)[N]['options']; allowPositionals: true; strict: true }>
>

export const isCommand = (name: string): name is Name => Object.hasOwn(commands, name)

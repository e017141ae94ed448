// Options that several destinations share, and the names of what they deliver.
import Type from 'typebox'
import { Problem } from '#kit/errors.ts'
import { strictlyEncoded } from '#kit/text.ts'

/** How often and how patiently a delivery is tried again; read by whoever runs the destination. */
export const patience = {
  delivery_attempts: Type.Integer({
    description:
      'How often the delivery is tried before the entry fails. Refusals fail at once; waiting for a quota does not count.',
    default: 8,
    minimum: 1,
    maximum: 50,
    role: 'attempts',
  }),
  delivery_backoff: Type.Number({
    description: 'Seconds before the second attempt; doubled for each further one, up to an hour.',
    default: 10,
    minimum: 0.1,
    maximum: 3600,
    role: 'backoff',
  }),
}

export const naming = {
  file_prefix: Type.String({
    description: 'Put before the name as it is; end it with `/` for a folder. May hold placeholders.',
    placeholders: 'path',
    role: 'prefix',
    default: '',
    maxLength: 512,
    examples: ['summer-party/'],
  }),
  file_name: Type.String({
    description:
      'Name of the delivered file. It must be the same on every attempt, so that a repeated one overwrites itself.',
    placeholders: 'path',
    role: 'name',
    default: '{{task_id}}-{{index}}{{ext}}',
    minLength: 1,
    maxLength: 512,
    examples: ['{{task_id}}{{ext}}'],
  }),
}

/** Credentials that travel in a header or an address. */
export const visible = '^[!-~]+$'

export const serving = {
  public: Type.Boolean({ description: 'Whether anyone who has the URL may read the file.', default: false }),
  force_download: Type.Boolean({
    description: 'Whether browsers save the file instead of showing it.',
    default: false,
  }),
  cache_control: Type.Optional(
    Type.String({
      description: 'The Cache-Control header the file is served with.',
      maxLength: 256,
      pattern: '^([!-~]([ -~]*[!-~])?)?$',
      expects: 'text of at most 256 plain characters, no space at its ends',
      examples: ['public, max-age=31536000'],
    }),
  ),
}

const maxKeyBytes = 1024

export interface Naming {
  file_prefix: string
  file_name: string
}

/** Prefix and name as one key. */
export function keyOf(naming: Naming): string {
  const why = whyUnusable(naming)
  if (why !== null)
    throw new Problem('bad_options', `file_prefix and file_name together must make a usable name: ${why}.`)
  return naming.file_prefix + naming.file_name
}

/** Parts that URLs and file systems would fold away are refused. */
export function whyUnusable({ file_prefix, file_name }: Naming): string | null {
  const key = file_prefix + file_name
  if (file_name.trim() === '' || key.endsWith('/')) return 'the name is empty'
  if (Buffer.byteLength(key) > maxKeyBytes) return `it is longer than ${maxKeyBytes} bytes`
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
  if (/[\u0000-\u001f\u007f]/.test(key) || !key.isWellFormed()) return 'it holds control characters'
  if (key.split(/[/\\]/).some(part => part === '.' || part === '..')) return 'it holds "." or ".." as a folder'
  return null
}

export const baseName = (key: string): string => key.slice(key.lastIndexOf('/') + 1)

/** Percent-encoded for the path of a URL, as strictly as S3 wants it. */
export const urlPath = (key: string): string => key.split('/').map(strictlyEncoded).join('/')

/** RFC 6266: an ASCII name for old clients, the true one by RFC 5987. */
export function contentDisposition(name: string): string {
  const ascii = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^ -~]|["\\%]/g, '_')
  return `attachment; filename="${ascii}"${ascii === name ? '' : `; filename*=UTF-8''${strictlyEncoded(name)}`}`
}

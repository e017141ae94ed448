// The command line as somebody with a URL and a token uses it, in a folder of theirs.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { event } from '../support/until.ts'
import { root } from './keepsake.ts'

export interface Ran {
  code: unknown
  out: string
  err: string
}

export interface Server {
  url: string
  token: string
}

/** Runs `keepsake …` in a folder, as it is found there. */
export async function runCommand(
  { url, token }: Server,
  folder: string,
  args: string[],
  env: Record<string, string> = {},
  input = '',
): Promise<Ran> {
  const child = spawn(process.execPath, [`${root}/src/main.ts`, ...args], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      NODE_COMPILE_CACHE: join(root, '.cache/compile'),
      KEEPSAKE_URL: url,
      KEEPSAKE_TOKEN: token,
      ...env,
    },
  })
  child.stdin.end(input)
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', text => (out += text))
  child.stderr.setEncoding('utf8').on('data', text => (err += text))
  const [code] = await event('the command is through', child, 'close')
  return { code, out, err }
}

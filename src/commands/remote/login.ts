// keepsake login and logout: remember a server and a token, in a file that only its owner can read.
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text as wholeText } from 'node:stream/consumers'
import { BadCommand } from '#kit/cannot-start.ts'
import { ownEnvironment } from '#kit/settings.ts'
import type { Given } from '../commands.ts'
import { safe, type Terminal } from '../terminal.ts'
import { forgetLogin, newClient, saveLogin } from './named-server.ts'

export async function login({ values, positionals }: Given<'login'>, terminal: Terminal): Promise<number> {
  const [url] = positionals
  if (url === undefined || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new BadCommand('login needs the URL of a server, for example keepsake login https://keepsake.example.com')
  const token = (values.token || ownEnvironment().KEEPSAKE_TOKEN || (await askedFor())).trim()
  if (token === '') throw new BadCommand('login needs a token')
  const { scope, experiences } = await newClient({ url, token }).session()
  const file = saveLogin({ url: new URL(url).origin, token })
  const where = experiences ? safe(experiences.join(', ')) : 'all experiences'
  terminal.say(`Signed in to ${new URL(url).origin} with the scope ${scope} (${where}). Kept in ${file}.`)
  if (new URL(url).protocol === 'http:' && !/^(127\.|localhost$|\[::1\]$)/.test(new URL(url).hostname))
    terminal.say('Beware: over http:// everybody on the way can read the token. Use https://.')
  return 0
}

export function logout(terminal: Terminal): number {
  forgetLogin()
  terminal.say(
    'The server and the token are forgotten. The token itself is still valid; keepsake token delete ID ends it.',
  )
  return 0
}

/** The token is not shown while it is typed, and may come through a pipe. */
async function askedFor(): Promise<string> {
  if (!process.stdin.isTTY) return await wholeText(process.stdin)
  process.stderr.write('Token: ')
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reader = createInterface({ input: process.stdin, output: silent, terminal: true })
  try {
    return await reader.question('')
  } finally {
    reader.close()
    process.stderr.write('\n')
  }
}

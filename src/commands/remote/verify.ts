// keepsake verify: tells whether a callback or a receipt is genuine, from files as somebody kept them.
import { readFileSync } from 'node:fs'
import { BadCallback, verifyCallback } from '#client/node.ts'
import { BadCommand } from '#kit/cannot-start.ts'
import { isObject } from '#kit/json.ts'
import { ownEnvironment } from '#kit/settings.ts'
import type { Given } from '../commands.ts'
import { safe, type Terminal } from '../terminal.ts'
import { verifyReceipt } from '../verify-receipt.ts'

export async function verify(
  { values, positionals: [what, file] }: Given<'verify'>,
  terminal: Terminal,
  here: (path: string) => string,
  ownKey: () => Promise<string>,
): Promise<number> {
  if (what === 'receipt') {
    if (file === undefined) throw new BadCommand('verify receipt needs a file: keepsake verify receipt FILE')
    const receipt = bytesOf(file, here).toString('utf8')
    const key = values.key === undefined ? await ownKey() : bytesOf(values.key, here).toString('utf8')
    return verifyReceipt({ receipt, key, json: values.json ?? false }, terminal)
  }
  if (what !== 'callback')
    throw new BadCommand(
      'verify needs what: keepsake verify callback --headers FILE --body FILE, or keepsake verify receipt FILE',
    )
  const { headers, body } = values
  if (headers === undefined || body === undefined)
    throw new BadCommand('verify callback needs --headers FILE and --body FILE')
  const secret = values.secret ?? ownEnvironment().KEEPSAKE_WEBHOOK_SECRET
  if (!secret) throw new BadCommand('verify callback needs the secret: set KEEPSAKE_WEBHOOK_SECRET, or --secret')
  const toleranceSeconds = values.tolerance === undefined ? 300 : Number(values.tolerance)
  if (!(toleranceSeconds >= 0)) throw new BadCommand('--tolerance must be a number of seconds')
  try {
    const { id, event, experienceId, sentAt } = await verifyCallback(
      headersOf(bytesOf(headers, here).toString('utf8')),
      bytesOf(body, here),
      secret.split(','),
      { toleranceSeconds },
    )
    const told = { id, event, experience_id: experienceId, sent_at: sentAt.toISOString() }
    terminal.print(
      values.json
        ? JSON.stringify({ ok: true, ...told })
        : safe(`ok  ${event} ${id}, sent ${told.sent_at}${experienceId === null ? '' : ` by ${experienceId}`}`),
    )
    return 0
  } catch (error) {
    if (!(error instanceof BadCallback || error instanceof TypeError || error instanceof SyntaxError)) throw error
    terminal.print(values.json ? JSON.stringify({ ok: false, why: error.message }) : `fail  ${safe(error.message)}`)
    return 1
  }
}

function bytesOf(path: string, here: (path: string) => string): Buffer {
  try {
    return readFileSync(path === '-' ? 0 : here(path))
  } catch {
    throw new BadCommand(`${path} cannot be read`)
  }
}

/** Lines of `name: value`, as a server logs them, or a JSON object. A first line of another form is the request itself. */
function headersOf(text: string): Record<string, string> {
  if (text.trimStart().startsWith('{')) {
    const given: unknown = JSON.parse(text)
    if (!isObject(given)) throw new SyntaxError('The headers are no object.')
    return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]))
  }
  return Object.fromEntries(
    text.split(/\r?\n/).flatMap(line => {
      const at = line.indexOf(':')
      return at < 1 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()]]
    }),
  )
}

// Secrets in the spellings that a server repeats them in, and everything a database holds, to look for them in.
import pg from 'pg'

/** One way to write a secret, by its name. */
export const spellers: Record<string, (secret: string) => string> = {
  plain: secret => secret,
  'percent signs': encodeURIComponent,
  'percent signs in small letters': secret => encodeURIComponent(secret).replace(/%../g, sign => sign.toLowerCase()),
  'a form': secret => new URLSearchParams([['', secret]]).toString().slice(1),
  base64: secret => Buffer.from(secret).toString('base64'),
  base64url: secret => Buffer.from(secret).toString('base64url'),
  'base64 behind one letter': secret => Buffer.from(`u${secret}`).toString('base64'),
  'base64 behind two letters': secret => Buffer.from(`u:${secret}`).toString('base64'),
  'base64 between others': secret => Buffer.from(`{"k":"${secret}","more":true}`).toString('base64url'),
  hex: secret => Buffer.from(secret).toString('hex'),
  HEX: secret => Buffer.from(secret).toString('hex').toUpperCase(),
  JSON: secret => JSON.stringify(secret).slice(1, -1),
  'JSON in ASCII': secret =>
    JSON.stringify(secret)
      .slice(1, -1)
      .replace(/[^ -~]/g, sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`),
}

/** What stays of an encoded secret when its edges are mixed with something else. */
const core = (text: string): string => text.slice(4, -4)

/** What must be found nowhere: the secret in every spelling, or what is sure to be part of it. */
export function traces(secret: string): [spelling: string, text: string][] {
  return Object.entries(spellers).map(([name, spell]) => {
    const text = spell(secret)
    return [name, /base64/.test(name) ? core(text.replace(/=+$/, '')) : text]
  })
}

/** Everything a database holds, as a dump would show it. */
export async function dump(databaseUrl: string): Promise<string> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    const tables = await client.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_schema in ('public', 'pgboss') and table_type = 'BASE TABLE'`,
    )
    const texts: string[] = []
    for (const { name } of tables.rows)
      texts.push(JSON.stringify((await client.query(`select t::text as row from ${name} t`)).rows))
    return texts.join('\n')
  } finally {
    await client.end()
  }
}

/** Where a trace was found. */
export function around(text: string, trace: string): string {
  const found = text.indexOf(trace)
  return text.slice(Math.max(0, found - 200), found + 100)
}

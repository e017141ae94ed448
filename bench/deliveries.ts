// How much does a worker's process grow while it delivers a file of 1 GiB? For every destination, against real targets.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allBeds, postBed } from '../test/support/beds.ts'
import { newAuthority } from '../test/support/certificates.ts'
import { randomFile, sparseFile, stepFor } from '../test/support/delivery.ts'
import { growthOf } from '../test/support/delivery-growth.ts'

const MiB = 1024 ** 2
const GOAL = 64
/** Messages are never larger than the option allows. */
const LARGEST_MESSAGE = 100_000_000

const folder = await mkdtemp(join(tmpdir(), 'keepsake-deliveries-'))
const beds = await allBeds({ large: true })
const certificates = await newAuthority()
const authority = join(folder, 'authority.pem')
await writeFile(authority, certificates.cert)
const overTls = await postBed(await certificates.issue(['127.0.0.1']))
const lines = [
  `| destination | file | grew by (MiB) | at its first delivery | goal | seconds |`,
  `|---|---|---|---|---|---|`,
]
try {
  const gibibyte = await sparseFile(folder, 1024 * MiB)
  const message = await sparseFile(folder, LARGEST_MESSAGE)
  const warmUp = await randomFile(folder, 1000, '.mp4', 'video/mp4')
  for (const bed of [...beds.all, overTls]) {
    const { name } = bed.adapter
    const isMail = name === 'email_send'
    const file = isMail ? message : gibibyte
    const extra = isMail ? { max_attach_bytes: LARGEST_MESSAGE } : {}
    const named = 'file_name' in bed.adapter.options.properties ? { file_name: 'large.mp4' } : {}
    const options = { ...bed.options, ...extra, ...named }
    const { auth, marker, options: filled } = stepFor(bed.adapter, { options, auth: bed.auth ?? {} })
    const begun = performance.now()
    const job = { adapter: name, options: filled, auth, marker, file, authority, ...(bed.made && { made: bed.made }) }
    const grown = (await growthOf({ ...job, warmUp })) / MiB
    const seconds = (performance.now() - begun) / 1000
    await bed.clear()
    // What it needs is loaded then too: the S3 client alone takes 30 MB.
    const first = (await growthOf(job)) / MiB
    const what = bed === overTls ? `${name} over TLS` : name
    lines.push(
      `| ${what} | ${isMail ? '100 MB' : '1 GiB'} | ${grown.toFixed(1)} | ${first.toFixed(1)} | ≤ ${GOAL} | ${seconds.toFixed(0)} |`,
    )
    console.log(lines.at(-1))
    if (grown > GOAL) process.exitCode = 1
    await bed.clear()
  }
} finally {
  await Promise.all([beds.stop(), overTls.stop()])
  await rm(folder, { recursive: true, force: true })
}
console.log(`\n${lines.join('\n')}`)

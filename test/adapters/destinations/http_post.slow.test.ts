// http_post with large files against HTTP and HTTPS receivers.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { httpPost } from '#adapters/destinations/http_post.ts'
import { largeDestinationContract } from '../../contract/large-destination.ts'
import { postBed } from '../../support/beds.ts'
import { newAuthority, trust } from '../../support/certificates.ts'
import { randomFile, sparseFile, stepFor } from '../../support/delivery.ts'
import { growthOf } from '../../support/delivery-growth.ts'

largeDestinationContract('http_post', () => postBed(), { afterLostAnswer: 'unknown', resumes: false })

test('a large file over TLS makes the process grow by at most 64 MiB', async t => {
  const authority = await newAuthority()
  trust(authority)
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-post-'))
  const bed = await postBed(await authority.issue(['127.0.0.1']))
  try {
    const trusted = join(folder, 'authority.pem')
    await writeFile(trusted, authority.cert)
    const { options, auth, marker } = stepFor(httpPost, { options: bed.options, auth: bed.auth ?? {} })
    const warmUp = await randomFile(folder, 2000, '.jpg', 'image/jpeg')
    const job = { adapter: 'http_post', options, auth, marker, authority: trusted, warmUp }
    const grown = await growthOf({ ...job, file: await sparseFile(folder, 128 * 1024 ** 2) })
    t.diagnostic(`grew by ${(grown / 1024 ** 2).toFixed(1)} MiB`)
    assert.ok(grown <= 64 * 1024 ** 2)
  } finally {
    await bed.stop()
    await rm(folder, { recursive: true, force: true })
  }
})

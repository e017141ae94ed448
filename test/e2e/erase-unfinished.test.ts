// Erasing a person whose deliveries did not succeed: what they left at their targets goes, or the receipt tells of the doubt.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, beforeEach, describe, it } from 'node:test'
import { operations } from '#adapters/printing/printer.ts'
import { newGoogle, youtubeAuth } from '../support/beds.ts'
import { cleanUp } from '../support/clean-up.ts'
import { gone, type LossyTarget, lines, newGuests, nothing, startLossyTarget, unknown } from '../support/erasing.ts'
import { type FakePrinter, startFakePrinter } from '../support/fake-printer.ts'
import { type FakeGoogle, googleError } from '../support/google.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { untilPutOff } from '../support/put-off.ts'
import { startTwilio, type TwilioFake, twilioAuth } from '../support/twilio.ts'
import { until } from '../support/until.ts'
import { clip, withFfmpeg } from '../support/videos.ts'

const patience = { delivery_attempts: 2, delivery_backoff: 0.1 }

let keepsake: Keepsake
let google: FakeGoogle
let twilio: TwilioFake
let printer: FakePrinter
let target: LossyTarget
let guests: ReturnType<typeof newGuests>
let picture: Blob

before(async () => {
  google = await newGoogle()
  twilio = await startTwilio()
  printer = await startFakePrinter()
  target = await startLossyTarget()
  keepsake = await startKeepsake()
  picture = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
  guests = newGuests(keepsake, picture)
  const { url } = target.receiver
  const store = { bucket_name: 'bucket', bucket_url: url, ...patience }
  const keys = { access_key: 'a', secret_key: 'b' }
  const video = { title: 'Souvenir', api_base_url: google.url, ...patience }
  const message = {
    to: '{{phone}}',
    text: 'Your souvenir',
    from: '+15017122661',
    api_base_url: twilio.url,
    delivery_attempts: 1,
  }
  const withAuth = (name: string, adapter: string, auth: object, defaults: object, more: object = {}) =>
    keepsake.configure(single(name, adapter, defaults, { adapter_config: { auth, defaults }, ...more }))
  await withAuth('store', 's3_upload', keys, store)
  await withAuth('same name', 's3_upload', keys, { ...store, file_name: 'same.png' })
  await withAuth('agreed', 's3_upload', keys, { ...store, delivery_backoff: 600 }, { needs_consent: ['share'] })
  await withAuth('video', 'youtube_upload', youtubeAuth, { ...video, playlist_id: 'PL1' })
  await withAuth('message', 'message_send', twilioAuth, message)
  // All day but for one minute (UTC) that is half a day away.
  const hour = String((new Date().getUTCHours() + 12) % 24).padStart(2, '0')
  const atNight = { quiet_hours: { from: `${hour}:01`, to: `${hour}:00` }, time_zone: 'UTC' }
  await withAuth('quiet message', 'message_send', twilioAuth, { ...message, ...atNight })
  const gateway = { provider: 'http', url: `${url}/sms`, to: '{{phone}}', text: 'Your souvenir', ...atNight }
  await keepsake.configure(single('quiet gateway', 'message_send', gateway))
  await keepsake.configure(single('print', 'print_ipp', { printers: [printer.uri], delivery_attempts: 1 }))
  await keepsake.configure(single('post', 'http_post', { url: `${url}/post`, ...patience }))
  await keepsake.configure(single('repeatable', 'http_post', { url: `${url}/again`, idempotent: true, ...patience }))
})
beforeEach(() => {
  target.clear()
  google.videos.clear()
  google.failures.length = 0
  twilio.troubles.length = 0
  Object.assign(printer, { lie: null, ends: 9 })
})
after(() =>
  cleanUp(
    () => keepsake.stop(),
    () => target.receiver.stop(),
    () => google.stop(),
    () => twilio.stop(),
    () => printer.stop(),
  ),
)

describe('a file whose answer was lost', () => {
  it('goes when a later attempt was refused', async () => {
    target.treated = ['lost', 403]
    const guest = await guests.fail('store', 'destination_refused')
    assert.equal(target.stored.size, 1)
    assert.deepEqual(lines(await guests.erase(guest)), gone('store'))
    assert.equal(target.stored.size, 0)
  })

  it('goes when the attempts ran out', async () => {
    target.treated = ['lost', 'lost']
    const guest = await guests.fail('store', 'destination_unreachable')
    assert.deepEqual(lines(await guests.erase(guest)), gone('store'))
    assert.equal(target.stored.size, 0)
  })

  it('goes later when its target is down', async () => {
    target.treated = ['lost', 503]
    const guest = await guests.fail('store', 'destination_unreachable')
    target.deleteStatus = 503
    const body = await guests.askToErase(guest)
    assert.deepEqual([body.status, body.pending.length], ['Pending', 1])
    target.deleteStatus = 204
    assert.deepEqual(lines(await guests.done(body)), gone('store'))
    assert.equal(target.stored.size, 0)
  })

  it('goes when the guest said no before the next attempt', async () => {
    target.treated = ['lost']
    const { profile, task } = await guests.begin('agreed')
    await until('it arrived', () => target.stored.size === 1)
    await keepsake.client.patch(`/api/profile/${profile}/`, { consent: { share: false } })
    const path = `/api/task/${task}/`
    await untilPutOff(keepsake.databaseUrl, path)
    assert.equal((await keepsake.client.post(`${path}now/`)).status, 202)
    const { entries } = await keepsake.ended(path)
    assert.deepEqual([entries[0].status, entries[0].error?.code], ['Skipped', 'no_consent'])
    assert.deepEqual(lines(await guests.erase(profile)), gone('agreed'))
    assert.equal(target.stored.size, 0)
  })

  it('stays under a name that another guest’s may have, and the receipt says so', async () => {
    target.treated = ['lost', 403]
    const guest = await guests.fail('same name', 'destination_refused')
    assert.deepEqual(lines(await guests.erase(guest)), unknown('same name'))
    assert.equal(target.stored.size, 1)
  })

  it('is told of where it can’t be taken back', async () => {
    target.treated = ['lost', 'lost']
    assert.deepEqual(
      lines(await guests.erase(await guests.fail('repeatable', 'destination_unreachable'))),
      unknown('repeatable'),
    )
    target.treated = ['lost']
    assert.deepEqual(lines(await guests.erase(await guests.fail('post', 'outcome_unknown'))), unknown('post'))
  })
})

describe('a file that certainly did not arrive', () => {
  it('is not told of', async () => {
    for (const configuration of ['store', 'same name', 'post', 'repeatable']) {
      target.treated = [403]
      target.deleteStatus = 403
      const guest = await guests.fail(configuration, 'destination_refused')
      assert.deepEqual(lines(await guests.erase(guest)), nothing, configuration)
    }
  })

  it('is not told of after several attempts, if it would have been noted', async () => {
    target.treated = [503, 503]
    assert.deepEqual(lines(await guests.erase(await guests.fail('post', 'destination_unreachable'))), nothing)
  })
})

describe('a video', withFfmpeg, () => {
  let film: Blob
  before(async () => {
    film = new Blob([new Uint8Array(await readFile((await clip({ seconds: 1 })).path))])
  })

  it('goes when only its playlist failed', async () => {
    google.failures.push({ when: / \/youtube\/v3\/playlistItems$/, status: 503, times: 99 })
    const guest = await guests.fail('video', 'destination_unreachable', film)
    assert.equal(google.videos.size, 1)
    assert.deepEqual(lines(await guests.erase(guest)), gone('video'))
    assert.equal(google.videos.size, 0)
  })

  it('goes while it waits for a quota before its playlist', async () => {
    const body = googleError('quotaExceeded', 'The quota is used up.')
    google.failures.push({ when: / \/youtube\/v3\/playlistItems$/, status: 403, body, times: 99 })
    const { profile, task } = await guests.begin('video', film)
    await until('it waits', async () => {
      const { entries } = (await keepsake.client.get(`/api/task/${task}/`)).body
      return entries[0].error?.code === 'destination_quota'
    })
    assert.equal(google.videos.size, 1)
    assert.deepEqual(lines(await guests.erase(profile)), gone('video'))
    assert.equal(google.videos.size, 0)
  })

  it('is told of where its id is not known', async () => {
    google.failures.push({ when: /^PUT \/upload\//, status: 503, times: 99 })
    assert.deepEqual(
      lines(await guests.erase(await guests.fail('video', 'destination_unreachable', film))),
      unknown('video'),
    )
  })

  it('is not told of where no upload was begun', async () => {
    google.failures.push({ when: /^POST \/upload\//, status: 400, times: 99 })
    assert.deepEqual(lines(await guests.erase(await guests.fail('video', 'destination_refused', film))), nothing)
  })
})

describe('a message', () => {
  const failsFor = (phone: string, code: string): Promise<string> =>
    guests.fail('message', code, picture, { additional_context: { phone } })

  it('is told of where the answer to the last attempt was lost', async () => {
    twilio.troubles.push({ status: 500, takes: true })
    const guest = await failsFor('+4915112345678', 'destination_unreachable')
    assert.equal(twilio.messages.length, 1)
    assert.deepEqual(lines(await guests.erase(guest)), unknown('message'))
  })

  it('is not told of where it was refused', async () => {
    const guest = await failsFor('+49151000000000', 'destination_refused')
    assert.deepEqual(lines(await guests.erase(guest)), nothing)
  })
})

describe('a print', () => {
  it('is told of where the answer to its document was lost', async () => {
    printer.lie = (operation, _right, response) => {
      if (operation === operations.sendDocument) response.destroy()
      return operation === operations.sendDocument
    }
    const guest = await guests.fail('print', 'destination_unreachable')
    assert.ok(printer.printed().length > 0)
    assert.deepEqual(lines(await guests.erase(guest)), unknown('print'))
  })

  it('is told of where the printer gave it up with sheets in the tray', async () => {
    printer.ends = 8
    const sheets = 'job-media-sheets-completed'
    printer.lie = (_operation, right) => {
      const at = right.indexOf(sheets)
      // Behind the name stands the length of the value.
      if (at >= 0) right.writeInt32BE(1, at + sheets.length + 2)
      return false
    }
    assert.deepEqual(lines(await guests.erase(await guests.fail('print', 'destination_refused'))), unknown('print'))
  })

  it('is not told of where nothing came out of the printer', async () => {
    printer.ends = 8
    assert.deepEqual(lines(await guests.erase(await guests.fail('print', 'destination_refused'))), nothing)
    printer.lie = (operation, _right, response) => {
      if (operation === operations.createJob) response.destroy()
      return operation === operations.createJob
    }
    assert.deepEqual(lines(await guests.erase(await guests.fail('print', 'destination_unreachable'))), nothing)
  })
})

describe('what only waited for its time', () => {
  const waits = (task: string) =>
    until('it waits', async () => {
      const { entries } = (await keepsake.client.get(`/api/task/${task}/`)).body
      return entries[0].error?.code === 'destination_quota'
    })

  for (const configuration of ['quiet message', 'quiet gateway'])
    it(`is not told of: ${configuration}`, async () => {
      const { profile, task } = await guests.begin(configuration, picture, {
        additional_context: { phone: '+4915112345678' },
      })
      await waits(task)
      assert.deepEqual(lines(await guests.erase(profile)), nothing)
    })

  it('is not told of: a video whose quota was used up before it was begun', withFfmpeg, async () => {
    const film = new Blob([new Uint8Array(await readFile((await clip({ seconds: 1 })).path))])
    google.failures.push({
      when: /^POST \/upload\//,
      status: 403,
      body: googleError('quotaExceeded', 'used up'),
      times: 99,
    })
    const { profile, task } = await guests.begin('video', film)
    await waits(task)
    assert.deepEqual(lines(await guests.erase(profile)), nothing)
    assert.equal(google.videos.size, 0)
  })
})

// youtube_upload against Google's public protocol: the contract of destinations, and every option of its own.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { secondsToPacificMidnight } from '#adapters/delivery/google.ts'
import { youtubeUpload } from '#adapters/destinations/youtube_upload.ts'
import { isProblem, type Problem } from '#kit/errors.ts'
import type { JsonObject } from '#kit/json.ts'
import { destinationContract } from '../../contract/destination.ts'
import { youtubeAuth as auth, newGoogle, youtubeBed } from '../../support/beds.ts'
import { checkpointOf, randomFile, stepFor } from '../../support/delivery.ts'
import { startProxy } from '../../support/flaky-proxy.ts'
import { googleError } from '../../support/google.ts'

const google = await newGoogle()
after(() => google.stop())

destinationContract('youtube_upload', () => youtubeBed(google), {
  afterLostAnswer: 'one',
  retracts: true,
  large: true,
  resumes: true,
  partBytes: 16 * 1024 ** 2,
  refusals: [
    {
      title: 'a sign-in that was taken back',
      with: () => ({ auth: { ...auth, refresh_token: 'refresh-token-2' } }),
      says: /^127\.0\.0\.1:\d+ no longer accepts the sign-in: .*sign in again\.$/,
    },
    {
      title: 'a wrong client secret',
      with: () => ({ auth: { ...auth, client_secret: 'client-secret-2' } }),
      says: /does not know the client or its secret/,
    },
  ],
})

suite('youtube_upload', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-youtube-'))
  after(() => rm(folder, { recursive: true, force: true }))
  const step = (options: JsonObject = {}, rest = {}) =>
    stepFor(youtubeUpload, { options: { title: 'Souvenir', api_base_url: google.url, ...options }, auth, ...rest })
  const video = await randomFile(folder, 300_000, '.mp4', 'video/mp4')
  const problem = async (work: Promise<unknown>): Promise<Problem> => {
    const error = await work.then(
      () => assert.fail('it was uploaded'),
      (error: unknown) => error,
    )
    if (!isProblem(error)) throw error
    return error
  }

  test('the result names the video, its URL and how it is stored', async () => {
    const options = {
      title: 'A <b>',
      description: 'd > e',
      tags: ['x', 'y'],
      category_id: '24',
      privacy_status: 'public',
      made_for_kids: true,
      notify_subscribers: true,
    }
    const result = await youtubeUpload.deliver(video, step(options))
    const stored = google.videos.get(String(result.video_id))!
    assert.deepEqual(result, {
      video_id: stored.id,
      url: `https://www.youtube.com/watch?v=${stored.id}`,
      privacy_status: 'public',
    })
    assert.deepEqual(stored.snippet, {
      title: 'A ‹b›',
      description: 'd › e',
      tags: ['x', 'y'],
      categoryId: '24',
      notify: 'true',
    })
    assert.deepEqual(stored.status, { privacyStatus: 'public', selfDeclaredMadeForKids: true })
  })

  test('a long title is cut, an empty one refused, a scheduled video stays private', async () => {
    const long = step({ title: '🎉'.repeat(150), publish_at: '2030-01-01T00:00:00Z' })
    const { video_id, privacy_status } = await youtubeUpload.deliver(video, long)
    assert.equal([...String(google.videos.get(String(video_id))?.snippet.title)].length, 100)
    assert.equal(privacy_status, 'private')
    assert.equal(google.videos.get(String(video_id))?.status.publishAt, '2030-01-01T00:00:00Z')
    assert.equal(long.heard.decisions.length, 2)
    assert.equal((await problem(youtubeUpload.deliver(video, step({ title: '  ' })))).code, 'option_missing')
    const wordy = await youtubeUpload.deliver(video, step({ description: '記'.repeat(2000) }))
    assert.equal(google.videos.get(String(wordy.video_id))?.snippet.description, '記'.repeat(1666))
  })

  test('a video that YouTube locks as private is a warning', async () => {
    google.lockedTo = 'private'
    const one = step({ privacy_status: 'public' })
    assert.equal((await youtubeUpload.deliver(video, one)).privacy_status, 'private')
    assert.match(one.heard.warnings[0] ?? '', /stored the video as private, not public/)
    google.lockedTo = null
  })

  test('thumbnail and playlist are set once, also when the attempt before died in between', async () => {
    const thumbnail = await randomFile(folder, 5000, '.png', 'image/png')
    const rest = { assets: { thumbnail_file_name: [thumbnail] } }
    const count = google.videos.size
    google.failures.push({ when: /thumbnails/, status: 503, times: 1 })
    const first = step({ playlist_id: 'PL1' }, rest)
    assert.equal((await problem(youtubeUpload.deliver(video, first))).fault, 'transient')
    const { video_id } = await youtubeUpload.deliver(
      video,
      step({ playlist_id: 'PL1' }, { ...rest, checkpoint: checkpointOf(first) }),
    )
    assert.equal(google.videos.size, count + 1)
    assert.deepEqual(google.playlist, [video_id])
    assert.deepEqual(google.videos.get(String(video_id))?.thumbnail, await readFile(thumbnail.path))
  })

  test('a playlist that is not there is a warning once the video is up, and a red line before', async () => {
    const one = step({ playlist_id: 'PL-gone' })
    await youtubeUpload.deliver(video, one)
    assert.match(
      one.heard.warnings[0] ?? '',
      /^The video could not be added to the playlist: YouTube knows no such place \(404\)/,
    )
    const lines = await Array.fromAsync(youtubeUpload.check!(step({ playlist_id: 'PL-gone' })))
    assert.deepEqual(
      lines.map(({ ok }) => ok),
      [true, true, true, false, true],
    )
  })

  test('the check tells what the sign-in allows, and what was not proven', async () => {
    const rights = async (scope: string) => {
      google.scope = scope
      return (await Array.fromAsync(youtubeUpload.check!(step()))).find(({ what }) => what === 'Rights')
    }
    const all = google.scope
    const prefix = 'https://www.googleapis.com/auth/'
    assert.deepEqual(await rights(''), {
      ok: true,
      what: 'Rights',
      detail: 'Not proven: YouTube did not tell what the sign-in allows.',
    })
    assert.match((await rights(`${prefix}youtube.upload`))?.detail ?? '', /neither to delete them nor/)
    assert.deepEqual(await rights(`${prefix}youtube.readonly ${prefix}drive`), {
      ok: false,
      what: 'Rights',
      detail: 'The sign-in does not allow to upload videos; it has the scopes youtube.readonly, drive.',
    })
    google.scope = all
    const lines = await Array.fromAsync(youtubeUpload.check!(step({ playlist_id: 'PL1' })))
    assert.deepEqual(
      lines.map(({ ok, what }) => [ok, what]),
      [
        [true, 'Sign in'],
        [true, 'Rights'],
        [true, 'Channel'],
        [true, 'Find the playlist'],
        [true, 'Not tried: upload a video'],
      ],
    )
    assert.equal(lines[2]?.detail, 'Videos go to the channel "Souvenirs".')
    google.failures.push({ when: /channels/, status: 403, body: googleError('quotaExceeded', 'No more.'), times: 1 })
    const red = await Array.fromAsync(youtubeUpload.check!(step()))
    assert.equal(red.find(({ ok }) => !ok)?.detail, "The day's quota at YouTube is used up: No more.")
  })

  test('a used-up quota waits for midnight in California, other limits less', async () => {
    const cases: [string, number, number][] = [
      ['quotaExceeded', 60, 86_520],
      ['uploadLimitExceeded', 3600, 3600],
      ['rateLimitExceeded', 60, 60],
    ]
    for (const [reason, least, most] of cases) {
      google.failures.push({
        when: /POST \/upload\/youtube\/v3\/videos/,
        status: 403,
        body: googleError(
          reason,
          'The request cannot be completed because you have exceeded your <a href="/x">quota</a>.',
        ),
        times: 1,
      })
      const error = await problem(youtubeUpload.deliver(video, step()))
      assert.equal(error.code, 'destination_quota')
      assert.match(error.message, /exceeded your quota\.$/)
      assert.ok(error.retryAfterSeconds! >= least && error.retryAfterSeconds! <= most, String(error.retryAfterSeconds))
    }
    google.failures.push({
      when: /POST \/upload\/youtube\/v3\/videos/,
      status: 429,
      body: googleError('rateLimitExceeded', "Quota exceeded for quota metric 'Uploads' and limit 'Uploads per day'."),
      times: 1,
    })
    assert.match(
      (await problem(youtubeUpload.deliver(video, step()))).message,
      /^The day's quota at YouTube is used up/,
    )
    assert.equal(secondsToPacificMidnight(new Date('2026-07-01T06:59:00Z')), 120)
    assert.equal(secondsToPacificMidnight(new Date('2026-12-01T08:00:00Z')), 86_460)
    // Days on which the clocks are put on and back.
    assert.equal(secondsToPacificMidnight(new Date('2026-03-08T08:00:00Z')), 23 * 3600 + 60)
    assert.equal(secondsToPacificMidnight(new Date('2026-11-01T07:00:00Z')), 25 * 3600 + 60)
  })

  test('a server error inside the upload may pass, and the next attempt goes on where it broke off', async () => {
    const file = await randomFile(folder, 17 * 1024 ** 2, '.mp4', 'video/mp4')
    const first = step()
    first.progress = fraction => {
      if (fraction > 0.3 && google.failures.every(({ times }) => times === 0))
        google.failures.push({ when: /PUT \/upload\/youtube/, status: 503, times: 1 })
    }
    assert.equal((await problem(youtubeUpload.deliver(file, first))).fault, 'transient')
    google.failures.length = 0
    const second = step({}, { checkpoint: checkpointOf(first) })
    const { video_id } = await youtubeUpload.deliver(file, second)
    assert.ok((second.heard.progress[0] ?? 0) >= 0.8, `began at ${second.heard.progress[0]}`)
    assert.deepEqual(google.videos.get(String(video_id))?.bytes, await readFile(file.path))
  })

  test('a video that is there is not made again because its title was changed', async () => {
    const count = google.videos.size
    const first = step()
    const save = first.save
    first.save = async checkpoint => {
      if ('video_id' in checkpoint) throw new Error('as if killed')
      await save(checkpoint)
    }
    await assert.rejects(youtubeUpload.deliver(video, first), /as if killed/)
    await youtubeUpload.deliver(video, step({ title: 'Another' }, { checkpoint: checkpointOf(first) }))
    assert.equal(google.videos.size, count + 1)
  })

  test('what an attempt noted of a video that is up is enough to take it back', async () => {
    google.failures.push({ when: /playlistItems/, status: 503, times: 1 })
    const one = step({ playlist_id: 'PL1' })
    assert.equal((await problem(youtubeUpload.deliver(video, one))).fault, 'transient')
    const later = step({ playlist_id: 'PL1' }, { checkpoint: checkpointOf(one) })
    const made = youtubeUpload.madeSoFar!(later)!
    assert.ok(google.videos.has(String(made.video_id)))
    await youtubeUpload.retract!(made, later)
    assert.ok(!google.videos.has(String(made.video_id)))
    const begun = { session: `${google.url}/x`, content: 'c', about: 'a', ending: true }
    for (const checkpoint of [null, begun]) assert.equal(youtubeUpload.madeSoFar!(step({}, { checkpoint })), null)
  })

  test('a session that was lost behind its last byte is unknown, never a second video', async () => {
    const lost = await problem(
      youtubeUpload.deliver(video, step({}, { checkpoint: { ...(await lastCheckpoint()), ending: true } })),
    )
    assert.equal(lost.code, 'outcome_unknown')
    assert.match(lost.message, /^YouTube no longer knows the upload that was under way/)
  })

  /** Of an upload whose session Google then forgot. */
  async function lastCheckpoint(): Promise<JsonObject> {
    const proxy = await startProxy({ port: google.port })
    const one = step({ api_base_url: `http://127.0.0.1:${proxy.port}` })
    one.progress = () => {
      proxy.cutAfter ??= proxy.sent()
    }
    await problem(youtubeUpload.deliver(video, one))
    google.forgetSessions()
    const { session, ...rest } = checkpointOf(one) ?? {}
    await proxy.stop()
    return { ...rest, session: String(session).replace(/:\d+/, `:${google.port}`) }
  }
})

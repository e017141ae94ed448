// youtube_upload: puts the video onto a YouTube channel, once and only once.
import Type, { type Static } from 'typebox'
import { type DeliveryStep, destinationAdapter } from '#engine/adapter.ts'
import { withStandIns } from '#engine/placeholders.ts'
import { badOption, isProblem, Problem } from '#kit/errors.ts'
import { isObject, type JsonObject } from '#kit/json.ts'
import type { OutboundRequest } from '#kit/net/outbound.ts'
import { withoutEnd } from '#kit/text.ts'
import type { MediaFile } from '#media/file/file.ts'
import { notTried, tried } from '../delivery/check-lines.ts'
import { patience } from '../delivery/delivery-options.ts'
import { quote, refused } from '../delivery/failure.ts'
import { type Google, newGoogle } from '../delivery/google.ts'
import { uploadResumably } from '../delivery/resumable.ts'
import { remarksBy } from '../delivery/review.ts'

const googleUrl = 'https://www.googleapis.com'

const privacies = ['private', 'unlisted', 'public'] as const

const options = Type.Object(
  {
    title: Type.String({
      description: 'Title of the video; cut at 100 characters.',
      minLength: 1,
      maxLength: 1000,
      examples: ['Summer party: {{profile.name}}'],
    }),
    description: Type.String({ description: 'Description of the video.', default: '', maxLength: 5000 }),
    tags: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      description: 'Keywords of the video.',
      default: [],
      maxItems: 100,
      examples: [['party', 'summer']],
    }),
    category_id: Type.String({
      description: 'Number of the YouTube category; 22 is "People & Blogs".',
      default: '22',
      pattern: '^\\d{1,4}$',
      expects: 'text of 1 to 4 digits',
    }),
    privacy_status: Type.Enum([...privacies], {
      description: 'Who may see the video.',
      default: 'unlisted',
    }),
    made_for_kids: Type.Boolean({
      description: 'Whether the video is made for children, as YouTube wants it declared.',
      default: false,
    }),
    notify_subscribers: Type.Boolean({ description: 'Whether subscribers of the channel are told.', default: false }),
    playlist_id: Type.Optional(
      Type.String({
        description: 'Playlist to add the video to.',
        pattern: '^[A-Za-z0-9_-]{1,64}$',
        expects: 'the id of a playlist',
      }),
    ),
    publish_at: Type.Optional(
      Type.String({
        description: 'Time at which the video becomes public (ISO 8601); until then it is private.',
        format: 'date-time',
        examples: ['2026-12-24T18:00:00Z'],
      }),
    ),
    thumbnail_file_name: Type.Optional(
      Type.String({
        description: 'Asset shown in place of the video before it plays: a JPEG or PNG of at most 2 MB.',
        maxLength: 128,
      }),
    ),
    api_base_url: Type.String({
      description: 'Address of the API.',
      placeholders: 'url',
      default: googleUrl,
      pattern: '^https?://[^/]+',
      maxLength: 2048,
    }),
    ...patience,
  },
  { additionalProperties: false },
)

const auth = Type.Object(
  {
    client_id: Type.String({ description: 'Id of the OAuth client.', minLength: 1, maxLength: 256 }),
    client_secret: Type.String({ description: 'Secret of the OAuth client.', minLength: 1, maxLength: 256 }),
    refresh_token: Type.String({
      description: 'Refresh token of the channel’s account, with the scopes `youtube.upload` and `youtube`.',
      minLength: 1,
      maxLength: 1024,
    }),
  },
  { additionalProperties: false },
)

type YoutubeStep = DeliveryStep<Static<typeof options>, Static<typeof auth>>

const target = 'YouTube'

export const youtubeUpload = destinationAdapter({
  name: 'youtube_upload',
  summary: 'Puts the video onto a YouTube channel.',
  accepts: ['video'],
  makes: 'same',
  options,
  auth,
  assets: [{ name: 'thumbnail_file_name', accepts: ['image'] }],
  target: ['api_base_url'],
  addresses: ['api_base_url'],
  result: Type.Object({
    video_id: Type.String({ description: 'The id of the video.' }),
    url: Type.String({ description: 'Where the file is.' }),
    privacy_status: Type.String({ description: 'As YouTube stored it.' }),
  }),

  authParts: { client_id: 'name' },
  review: ({ title, tags }) => [
    ...(title === undefined ? [] : remarksBy(() => shortTitle(withStandIns(title)))),
    ...remarksBy(() => checkTags(tags.map(withStandIns))),
  ],

  async deliver(input, step) {
    const google = googleOf(step)
    const video = videoOf(step.checkpoint) ?? (await upload(google, input, step))
    const { playlist_id } = step.options
    if (playlist_id !== undefined)
      await orWarn(step, 'The video could not be added to the playlist', () =>
        addToPlaylist(google, step, video.video_id, playlist_id),
      )
    const [thumbnail] = step.assets('thumbnail_file_name')
    if (thumbnail)
      await orWarn(step, 'The thumbnail could not be set', () => setThumbnail(google, step, video.video_id, thumbnail))
    return {
      video_id: video.video_id,
      url: `https://www.youtube.com/watch?v=${video.video_id}`,
      privacy_status: video.privacy_status,
    }
  },

  async retract(delivered, step) {
    if (typeof delivered.video_id !== 'string') throw new Problem('internal', 'That is no result of youtube_upload.')
    const google = googleOf(step)
    const answer = await google.call(api(step, 'videos', { id: delivered.video_id }), { method: 'DELETE' })
    if (answer.status >= 300 && answer.status !== 404) throw await google.problem(answer, target)
    answer.discard()
  },

  madeSoFar: ({ checkpoint }) => videoOf(checkpoint),

  checkWithout: ['title'],
  async *check(step) {
    const google = googleOf(step)
    const signedIn = await tried('Sign in', async () => {
      await google.scopes()
      return 'The sign-in was renewed.'
    })
    yield signedIn
    if (!signedIn.ok) return
    yield await tried('Rights', async () => rightsOf(await google.scopes(), step))
    yield await tried('Channel', async () => {
      const { items } = await read(google, api(step, 'channels', { part: 'snippet,status', mine: 'true' }))
      const [first] = Array.isArray(items) ? (items as unknown[]) : []
      if (!isObject(first)) throw refused('The account has no YouTube channel')
      const { title = '' } = isObject(first.snippet) ? first.snippet : {}
      const { longUploadsStatus } = isObject(first.status) ? first.status : {}
      const long = longUploadsStatus === 'allowed' ? '' : ' Videos above 15 minutes are refused until it is verified.'
      return `Videos go to the channel "${quote(String(title), step.clean)}".${long}`
    })
    const { playlist_id: id } = step.options
    if (id !== undefined) {
      yield await tried('Find the playlist', async () => {
        const { items } = await read(google, api(step, 'playlists', { part: 'id', id }))
        if (!Array.isArray(items) || items.length === 0) throw refused(`There is no playlist "${id}"`)
        return 'The playlist is there.'
      })
    }
    yield notTried(
      'upload a video',
      'It would use up one of the uploads of the day (100 as a rule), and YouTube tells nobody how many are left.',
    )
  },
})

/** Each of these scopes lets more be done than the one before. */
function rightsOf(scopes: readonly string[], { clean }: YoutubeStep): string {
  const names = scopes.map(scope => scope.replace('https://www.googleapis.com/auth/', ''))
  if (names.length === 0) return 'Not proven: YouTube did not tell what the sign-in allows.'
  if (names.some(name => ['youtube', 'youtube.force-ssl', 'youtubepartner'].includes(name)))
    return 'The sign-in allows to upload and delete videos and to change playlists.'
  if (names.includes('youtube.upload'))
    return 'The sign-in allows to upload videos, but neither to delete them nor to change playlists: the scope youtube is missing.'
  throw refused(`The sign-in does not allow to upload videos; it has the scopes ${quote(names.join(', '), clean)}`)
}

type Video = { video_id: string; privacy_status: string }

const videoOf = (checkpoint: JsonObject | null): Video | null =>
  typeof checkpoint?.video_id === 'string'
    ? { video_id: checkpoint.video_id, privacy_status: String(checkpoint.privacy_status) }
    : null

const baseOf = ({ options }: YoutubeStep): string => withoutEnd(options.api_base_url, '/')

const api = (step: YoutubeStep, resource: string, query: Record<string, string>): string =>
  `${baseOf(step)}/youtube/v3/${resource}?${new URLSearchParams(query)}`

function googleOf(step: YoutubeStep): Google {
  const { auth } = step
  const tokenUrl = baseOf(step) === googleUrl ? 'https://oauth2.googleapis.com/token' : `${baseOf(step)}/token`
  const form = () => ({
    grant_type: 'refresh_token',
    client_id: auth.client_id,
    client_secret: auth.client_secret,
    refresh_token: auth.refresh_token,
  })
  return newGoogle({ tokenUrl, form }, step)
}

async function upload(google: Google, input: MediaFile, step: YoutubeStep): Promise<Video> {
  const about = aboutVideo(step)
  const query = new URLSearchParams({
    uploadType: 'resumable',
    part: 'snippet,status',
    notifySubscribers: String(step.options.notify_subscribers),
  })
  const headers = {
    'content-type': 'application/json; charset=UTF-8',
    'x-upload-content-type': input.mime,
    'x-upload-content-length': String(input.bytes),
  }
  const begin = async () => {
    const answer = await google.call(`${baseOf(step)}/upload/youtube/v3/videos?${query}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(about),
    })
    if (answer.status !== 200) throw await google.problem(answer, target)
    return answer
  }
  const made = await uploadResumably(
    { google, target, base: baseOf(step), about, begin, overwrites: false },
    input,
    step,
  )
  if (typeof made.id !== 'string') throw refused(`${target} did not name the new video`)
  const stored = isObject(made.status)
    ? privacies.find(each => each === (made.status as JsonObject).privacyStatus)
    : null
  const video = { video_id: made.id, privacy_status: stored ?? about.status.privacyStatus }
  await step.save({ ...video })
  if (video.privacy_status !== about.status.privacyStatus)
    step.warn(
      `${target} stored the video as ${video.privacy_status}, not ${about.status.privacyStatus}; apps that Google has not audited may only upload private videos.`,
    )
  return video
}

/** YouTube refuses angle brackets. */
const plain = (text: string): string => text.replaceAll('<', '‹').replaceAll('>', '›')

function shortTitle(title: string): string {
  const short = [...plain(title).trim()].slice(0, 100).join('')
  if (short === '') throw badOption('title', 'is empty; YouTube wants one', 'missing')
  return short
}

const MOST_TAGS = 500

/** YouTube counts all tags together, with the quotes it puts around those that hold a space and the commas in between. */
function checkTags(tags: readonly string[]): void {
  const length = tags.reduce((sum, tag) => sum + tag.length + (tag.includes(' ') ? 2 : 0) + 1, -1)
  if (length > MOST_TAGS)
    throw badOption('tags', `have ${length} characters together; YouTube takes ${MOST_TAGS} at most`)
}

function aboutVideo(step: YoutubeStep) {
  const { title, description, tags, category_id, privacy_status, made_for_kids, publish_at } = step.options
  checkTags(tags)
  const short = shortTitle(title)
  if (short !== title.trim()) step.decide('The title was shortened to 100 characters without angle brackets.')
  if (publish_at !== undefined && privacy_status !== 'private')
    step.decide('A video with a publish_at stays private until then.')
  return {
    snippet: {
      title: short,
      description: cutAt(plain(description), 5000),
      tags: tags.map(plain),
      categoryId: category_id,
    },
    status: {
      privacyStatus: publish_at === undefined ? privacy_status : 'private',
      selfDeclaredMadeForKids: made_for_kids,
      ...(publish_at !== undefined && { publishAt: publish_at }),
    },
  }
}

/** YouTube counts bytes here. */
function cutAt(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text
  return withoutEnd(Buffer.from(text).subarray(0, bytes).toString('utf8'), '\ufffd')
}

async function read(google: Google, url: string, options: OutboundRequest = {}): Promise<Record<string, unknown>> {
  const answer = await google.call(url, options)
  if (answer.status !== 200) throw await google.problem(answer, target)
  const body = await answer.json()
  return isObject(body) ? body : {}
}

/** The video is up by now, so what is refused beside it is no reason to fail; what may pass is tried again. */
async function orWarn(step: YoutubeStep, sentence: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isProblem(error, 'destination_refused')) throw error
    step.warn(`${sentence}: ${error.message}`)
  }
}

/** An attempt that died here may have added it already. */
async function addToPlaylist(google: Google, step: YoutubeStep, videoId: string, playlistId: string): Promise<void> {
  const { items } = await read(google, api(step, 'playlistItems', { part: 'id', playlistId, videoId }))
  if (Array.isArray(items) && items.length > 0) return
  const body = JSON.stringify({ snippet: { playlistId, resourceId: { kind: 'youtube#video', videoId } } })
  await read(google, api(step, 'playlistItems', { part: 'snippet' }), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
}

async function setThumbnail(
  google: Google,
  step: YoutubeStep,
  videoId: string,
  { path, bytes, mime }: MediaFile,
): Promise<void> {
  const url = `${baseOf(step)}/upload/youtube/v3/thumbnails/set?${new URLSearchParams({ videoId, uploadType: 'media' })}`
  await read(google, url, { method: 'POST', headers: { 'content-type': mime }, body: [{ path, start: 0, end: bytes }] })
}

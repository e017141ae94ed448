// Words for people in place of keys: what an option, a choice, a unit and an adapter are called.

import type { Json, JsonSchema } from '../api/shapes.ts'
import { language } from '../words/language.ts'
import { fromService, t } from '../words/t.ts'

/** What reads better than the key with spaces in it. */
const labels: Record<string, string> = {
  acl_mode: t('Public access by'),
  additional_context: t('Words for placeholders'),
  api_base_url: t('Address of the service'),
  aspect: t('Shape'),
  at: t('Moment'),
  attach: t('Send it as'),
  audio: t('Sound'),
  audio_file_name: t('Sound file'),
  background_file_name: t('Background picture'),
  bearer: t('Bearer token'),
  blend: t('Blending'),
  body_format: t('Sent as'),
  bucket_name: 'Bucket',
  bucket_url: t('Address of the store'),
  button: t('Words on the button'),
  cache_control: t('Cache-Control header'),
  category_id: t('Category'),
  clip_file_names: t('Further clips'),
  color: t('Colour'),
  container_name: 'Container',
  crf: t('Quality of the video (CRF)'),
  data: t('What the code says'),
  delivery_attempts: t('Attempts'),
  delivery_backoff: t('Wait before the second attempt'),
  despill: t('Take the screen’s colour off edges'),
  duck: t('Lower it while somebody speaks'),
  ecc: t('Error correction'),
  end: t('Ends at'),
  enlarge: t('Make small pictures larger'),
  exact: t('Cut at the very frame'),
  expect: t('Answers that count as success'),
  factor: t('Speed'),
  file_name: t('Name of the file'),
  file_prefix: t('Folder or prefix'),
  fit: t('How it fits'),
  font_file_name: t('Font file'),
  force_download: t('Browsers save it instead of showing it'),
  fps: t('Frames per second'),
  gravity: t('What is kept'),
  host_key: t('Key of the server'),
  html: t('HTML body'),
  idempotent: t('The receiver knows repeated requests'),
  intro_file_name: t('Opening clip'),
  job_seconds: t('Longest time of a print job'),
  key: t('Colour of the screen'),
  length: t('Whose length counts'),
  lut_file_name: t('Look-up table (.cube)'),
  made_for_kids: t('Made for children'),
  max_attach_bytes: t('Largest attachment'),
  max_bytes: t('Largest size'),
  max_height: t('Height at most'),
  max_side: t('Longest side at most'),
  media: t('Paper'),
  media_source: t('Tray'),
  media_type: t('Kind of paper'),
  method: t('Turn or mirror'),
  missing: t('A placeholder without a value'),
  original_volume: t('Volume of the video’s own sound'),
  outro_file_name: t('Closing clip'),
  overlay_audio: t('Sound of the overlay'),
  overlay_file_name: t('Overlay'),
  overlay_portrait_file_name: t('Overlay for upright pictures'),
  overflow: t('Text that is too long'),
  path: t('Folder on the server'),
  photo_file_names: t('Further photos'),
  preset: t('Ready look'),
  privacy_status: t('Who may see it'),
  public: t('Anyone with the link may read it'),
  public_base_url: t('Address in links'),
  quiet: t('White margin'),
  sas_token: 'SAS token',
  session_token: t('Session token'),
  service_url: t('Address of the blob service'),
  signed_url_ttl: t('Private link is valid for'),
  size_max: t('Largest letters'),
  size_min: t('Smallest letters'),
  start: t('Begins at'),
  still_duration: t('A picture is shown for'),
  template_file_name: t('Template'),
  thumbnail_file_name: t('Thumbnail'),
  to: t('Send to'),
  turn: t('Turn it where it fills the page better'),
  url: t('Address'),
  url_style: t('Bucket in the address'),
  valign: t('Upright position'),
  x: t('From the left'),
  y: t('From the top'),
}

/** Words that are written as they are known. */
const known: Record<string, string> = { url: 'URL', qr: 'QR', id: 'id', sid: 'SID', tls: 'TLS', gif: 'GIF', uri: 'URI' }

/** `photo_file_name` is "Photo file name". */
export function plainWords(key: string): string {
  const text = key
    .split(/[_\s]+/)
    .filter(Boolean)
    .map(word => known[word.toLowerCase()] ?? word.toLowerCase())
    .join(' ')
  return fromService(text.charAt(0).toUpperCase() + text.slice(1))
}

/** A label among other words: in English it begins small. */
export const inSentence = (label: string): string =>
  language === 'en' ? label.charAt(0).toLowerCase() + label.slice(1) : label

export const labelOf = (name: string, schema?: JsonSchema): string =>
  schema?.title ? fromService(schema.title) : Object.hasOwn(labels, name) ? (labels[name] as string) : plainWords(name)

/** The unit that the description speaks of, for fields that hold a number. */
export function unitOf(schema: JsonSchema): string | undefined {
  const text = (schema.description ?? '').toLowerCase()
  if (/\bseconds?\b/.test(text)) return 's'
  if (/\bpixels per inch\b/.test(text)) return 'dpi'
  if (/\bpixels?\b/.test(text)) return 'px'
  if (/\bbytes\b/.test(text)) return 'bytes'
  if (/\blufs\b/.test(text)) return 'LUFS'
  return undefined
}

const choices: Record<string, string> = {
  mask: t('The mask alone'),
  ROTATE_90: t('Quarter turn to the left'),
  ROTATE_180: t('Upside down'),
  ROTATE_270: t('Quarter turn to the right'),
  FLIP_LEFT_RIGHT: t('Mirror left and right'),
  FLIP_TOP_BOTTOM: t('Mirror top and bottom'),
  TRANSPOSE: t('Mirror at the falling diagonal'),
  TRANSVERSE: t('Mirror at the rising diagonal'),
  bw: t('Black and white'),
  blur_pad: t('Blurred edges'),
  pad: t('Bars around it'),
  cover: t('Fill it, cut off what is over'),
  contain: t('Show all of it'),
  inside: t('Not larger than this'),
  stretch: t('Stretch it'),
  attention: t('Faces and what stands out'),
  virtual: t('In front (bucket.host)'),
  path: t('In the path (host/bucket)'),
  strip3: t('Strip of three'),
  strip4: t('Strip of four'),
  grid2x2: t('Two by two'),
  sms: 'SMS',
  whatsapp: 'WhatsApp',
  acl: t('Always by ACL'),
  auto: t('Automatic'),
}

/** A word for a choice; its value follows where it reads differently. */
export function choiceOf(option: Json): string {
  const text = String(option)
  if (typeof option !== 'string') return text
  if (Object.hasOwn(choices, text)) return choices[text] as string
  return /^[a-z_]+$/.test(text) && text.length > 4 ? plainWords(text) : text
}

const adapters: Record<string, string> = {
  audio_convert: t('Convert sound'),
  audio_normalize: t('Even loudness'),
  azure_blob_upload: 'Azure Blob Storage',
  email_send: t('Send an e-mail'),
  gcs_upload: 'Google Cloud Storage',
  http_post: t('Send to a web address'),
  local_file: t('Folder on this machine'),
  message_send: t('Text message or WhatsApp'),
  photo_add_overlay: t('Lay a frame over it'),
  photo_add_qr: t('Add a QR code'),
  photo_add_text: t('Add text'),
  photo_blur_faces: t('Blur faces of bystanders'),
  photo_chroma_key: t('Replace a green screen'),
  photo_collage: t('Collage or photo strip'),
  photo_compositor: t('Layout with layers'),
  photo_convert: t('Change format and quality'),
  photo_crop: t('Crop'),
  photo_cutout: t('Replace the background of people'),
  photo_filter: t('Colours and looks'),
  photo_flip: t('Turn or mirror'),
  photo_pick: t('Pick the best of several'),
  photo_resize: t('Resize'),
  photo_to_video: t('Photo to video'),
  print_ipp: t('Print'),
  s3_upload: t('S3 bucket'),
  sftp_upload: t('SFTP server'),
  video_add_audio: t('Add music'),
  video_add_overlay: t('Lay a frame over the video'),
  video_add_text: t('Add text to the video'),
  video_boomerang: 'Boomerang',
  video_chroma_key: t('Replace a green screen in a video'),
  video_convert: t('Change the video’s format'),
  video_cutout: t('Replace the background of people in a video'),
  video_fade: t('Fade in and out'),
  video_flip: t('Turn or mirror a video'),
  video_join: t('Join clips'),
  video_resize: t('Resize a video'),
  video_speed: t('Slow motion or faster'),
  video_thumbnail: t('Still from a video'),
  video_to_gif: t('Video to GIF'),
  video_trim: t('Cut a part out'),
  youtube_upload: 'YouTube',
}

/** An adapter that is not of ours is called by its own name. */
export const adapterTitle = (name: string): string =>
  Object.hasOwn(adapters, name) ? (adapters[name] as string) : plainWords(name)

const parts: Record<string, string> = {
  call_chain: t('The steps'),
  webhook_url: t('Webhook URL'),
  experience_id: t('Experience'),
  adapter_name: t('Adapter'),
  activity_config: t('Activity for the guest'),
  needs_consent: t('Needs the guest’s consent'),
  without_consent: t('Without consent'),
  overridable: t('Options that extras may change'),
  time_zone: t('Time zone'),
  starts_at: t('Begins'),
  ends_at: t('Ends'),
  max_running: t('Tasks at once'),
  retention_days: t('Days files are kept'),
  'guest_page.enabled': t('Guests have pages'),
  'guest_page.title': t('Title'),
  'guest_page.text': t('Text'),
  'guest_page.logo_file_name': t('Logo'),
  'guest_page.color': t('Colour of buttons'),
  'guest_page.language': t('Language'),
  'guest_page.expires_days': t('Days a page is there'),
  'guest_page.approval': t('Somebody approves what the wall shows'),
  'guest_page.wall_consent': t('Only who agreed is on the wall'),
  'guest_page.wall_url': t('Address of the wall’s QR code'),
  'guest_page.wall_text': t('Words beside it'),
}

/** A field as the service names it: `adapter_config.defaults.width` is "Width". */
export function fieldWords(field: string): string {
  const own = field.replace('adapter_config.defaults.', '')
  if (Object.hasOwn(parts, own)) return parts[own] as string
  if (own.startsWith('adapter_config.auth.')) return labelOf(own.replace('adapter_config.auth.', ''))
  return own
    .split('.')
    .map(part => labelOf(part))
    .join(': ')
}

// The configurations and guests of a chaos run.
import { type Asked, GUESTS, LATE_GUESTS, PAIR } from './history.ts'
import { canMakeClips } from './label.ts'
import { mailUser, type Targets } from './targets.ts'

export const EXPERIENCE = 'park'

const patience = { delivery_attempts: 50, delivery_backoff: 0.1 }

/** Which guest an activity is of is told by its owner, which entry by its `object_id`. */
const activity = (object_id: string) => ({
  activity_config: { experience_id: EXPERIENCE, activity_type: 'content-generation', payload: { object_id } },
})

/** Everything that is delivered was turned before. */
const singles = ({ ports }: Targets): Record<string, object> => ({
  turn: { adapter_name: 'photo_flip', adapter_config: { auth: {}, defaults: { method: 'ROTATE_180' } } },
  ...(canMakeClips && {
    'turn-clip': { adapter_name: 'video_flip', adapter_config: { auth: {}, defaults: { method: 'ROTATE_180' } } },
  }),
  'to-bucket': {
    adapter_name: 's3_upload',
    adapter_config: {
      auth: { access_key: 'chaos', secret_key: 'chaos-secret-key' },
      defaults: { bucket_name: 'souvenirs', bucket_url: `http://127.0.0.1:${ports.bucket}`, ...patience },
    },
    ...activity('to-bucket'),
  },
  'to-web': {
    adapter_name: 'http_post',
    adapter_config: { auth: {}, defaults: { url: `https://127.0.0.1:${ports.web}/in`, field: '', ...patience } },
    ...activity('to-web'),
  },
  'to-mail': {
    adapter_name: 'email_send',
    adapter_config: {
      auth: {
        host: '127.0.0.1',
        port: ports.mail,
        username: mailUser.name,
        password: mailUser.password,
        from: 'booth@example.org',
      },
      defaults: { to: 'guest@example.com', subject: 'Your souvenir', ...patience },
    },
    ...activity('to-mail'),
  },
})

const chains: Record<Exclude<Asked['kind'], 'pair'>, [string, number | null][]> = {
  bucket: [
    ['turn', null],
    ['to-bucket', 0],
  ],
  video: [
    ['turn-clip', null],
    ['to-bucket', 0],
  ],
  web: [
    ['turn', null],
    ['to-web', 0],
  ],
  mail: [
    ['turn', null],
    ['to-mail', 0],
  ],
  all: [
    ['turn', null],
    ['to-bucket', 0],
    ['to-web', 0],
    ['to-mail', 0],
  ],
}

/** In the order in which they have to be made. */
export function configurations(targets: Targets, hooks: ReadonlyMap<string, string>): object[] {
  const common = { experience_id: EXPERIENCE }
  return [
    ...Object.entries(singles(targets)).map(([configuration_name, single]) => ({
      configuration_name,
      ...common,
      ...single,
    })),
    ...Object.entries(chains).flatMap(([kind, call_chain]) =>
      [...(kind === 'video' && !canMakeClips ? [] : hooks)].map(([hook, webhook_url]) => ({
        configuration_name: `${kind}-${hook}`,
        ...common,
        call_chain,
        webhook_url,
      })),
    ),
    { configuration_name: PAIR[0], ...common, call_chain: chains.web },
    { configuration_name: PAIR[1], ...common, call_chain: chains.bucket },
  ]
}

export const profileOf = (guest: string): object => ({ rfid: guest, experience_id: EXPERIENCE })
const guestName = (number: number): string => `guest-${number}`
export const earlyGuests = Array.from({ length: GUESTS }, (_, number) => guestName(number))
export const lateGuests = Array.from({ length: LATE_GUESTS }, (_, number) => guestName(GUESTS + number))

// /api/apply/: experiences, assets and configurations of an event at once, as `keepsake apply` sends them.
import type { FastifyReply } from 'fastify'
import Type from 'typebox'
import { applyEvent, type Event } from '#apply/apply-event.ts'
import type { ExpectNamed } from '#configurations/apply-all.ts'
import type { Written } from '#configurations/save-configuration.ts'
import { badField, badFields, Problem } from '#kit/errors.ts'
import { schemaErrors } from '#kit/schema.ts'
import { answer } from '../contract/answers.ts'
import { Applied, EventInput } from '../contract/apply-shapes.ts'
import { dryRun as DryRun } from '../contract/configuration-shapes.ts'
import { Input } from '../contract/shapes.ts'
import { hungUp, placeOwner } from '../route/client-work.ts'
import type { Resource } from '../route/route.ts'
import { parseJson } from '../wire/json-body.ts'
import { acceptMultipart, multipartBody, newIntake, type Received, receive } from '../wire/multipart.ts'
import { tagOf } from '../wire/preconditions.ts'
import { settingsOf } from './experience-settings.ts'

/** Of the part `event`. */
const EVENT_BYTES = 4 * 1024 ** 2
const FILE = /^file_\d{1,4}$/

export const apply: Resource = (app, services) => {
  const { db, blobs, secretBox, adapters, outbound, probe, settings, works } = services
  const intake = newIntake(services)
  acceptMultipart(app)

  app.post(
    '/api/apply/',
    {
      ...multipartBody,
      config: {
        scope: 'write',
        problems: [
          'bad_multipart',
          'over_limit',
          'too_large',
          'wrong_content_type',
          'corrupt_input',
          'unsupported_format',
          'policy_blocked',
          'full',
          'in_use',
          'name_taken',
          'unknown_asset',
          'unknown_adapter',
          'unknown_configuration',
          'bad_options',
          'option_missing',
          'secret_needed',
          'changed_meanwhile',
        ],
      },
      schema: {
        tags: ['Configurations'],
        operationId: 'applyEvent',
        summary: 'Make a whole event what a file says',
        description:
          'Experiences, assets and configurations are made, changed or left alone in one transaction: all of them, or none. With `prune` what those experiences have besides is deleted; with `dry_run` nothing is stored.',
        consumes: ['multipart/form-data'],
        querystring: Input({
          ...DryRun,
          prune: Type.Optional(
            Type.Enum(['true', 'false'], {
              description: '`true` deletes what the experiences of the event have and the event has not.',
            }),
          ),
        }),
        body: Type.Object(
          { event: Type.String({ description: 'A JSON object: `experiences`, `assets`, `configurations`.' }) },
          { additionalProperties: true },
        ),
        response: { 200: answer('What happened to each thing, or with `dry_run` would.', Applied) },
      },
    },
    async (request, reply) => {
      await using received = await receive(request, intake, {
        file: name => FILE.test(name),
        field: name => name === 'event',
        fieldBytes: EVENT_BYTES,
      })
      const event = eventOf(received)
      const applying = {
        db,
        blobs,
        secretBox,
        adapters,
        outbound,
        probe: looking(reply),
        actor: request.actor,
        dataFolder: settings.data,
        keep: settings,
        limits: settings,
        maxChain: settings.maxChain,
        maxVersions: settings.maxVersions,
      }
      const dryRun = request.query.dry_run === 'true'
      const prune = request.query.prune === 'true'
      const changes = await applyEvent(applying, request.access.experiences, event, {
        dryRun,
        prune,
        actor: request.actor,
      })
      if (!dryRun) received.taken()
      return { changes }
    },
  )

  /** Looks at a file for one request, and stops when the client is gone. */
  function looking(reply: FastifyReply) {
    const gone = hungUp(reply)
    return async (path: string) => {
      using _place = await works.probes.take(placeOwner(reply.request.access), gone)
      return await probe(path, gone)
    }
  }
}

function eventOf(received: Received): Event {
  const text = received.fields.get('event')
  if (text === undefined) throw badField('event', 'is required: a JSON object')
  const event = parseJson(text, 'event')
  const [error, ...more] = schemaErrors(EventInput, event)
  if (error)
    throw badFields(
      [error, ...more].map(one => ({ ...one, field: one.field === '' ? 'event' : `event.${one.field}` })),
      'The event is not right',
    )
  const { experiences = [], assets = [], configurations = [], expect = {} } = event as EventInput
  refuseTwice(
    'experience',
    experiences.map(({ experience_id }) => experience_id),
  )
  refuseTwice(
    'asset',
    assets.map(({ name }) => name),
  )
  refuseTwice(
    'configuration',
    configurations.map(({ configuration_name }) => configuration_name),
  )
  const used = new Set(assets.map(({ part }) => part))
  const idle = [...received.files.keys()].find(name => !used.has(name))
  if (idle !== undefined) throw badField(idle, 'no asset of the event names this part')
  return {
    experiences: experiences.map(({ experience_id, ...written }) => ({
      id: experience_id,
      settings: settingsOf(written),
    })),
    assets: assets.map(({ name, experience_id, sha256, part }) => {
      const file = part === undefined ? null : received.files.get(part)
      if (file === undefined) throw badField(`event.assets`, `"${name}" names the part ${part}, which is not there`)
      if (file && file.sha256 !== sha256)
        throw badField(part ?? 'event', `is not the file that the event says: its sha256 is ${file.sha256}`)
      return { name, experienceId: experience_id, sha256, file }
    }),
    configurations: configurations as Written[],
    expect: expecting(expect),
  }
}

const expecting =
  (tags: Readonly<Record<string, string | null>>): ExpectNamed =>
  (name, stored) => {
    if (!Object.hasOwn(tags, name)) return
    const current = stored && tagOf(stored.revision)
    if (tags[name] === current) return
    throw new Problem(
      'changed_meanwhile',
      current === null
        ? 'It was deleted, or never made.'
        : tags[name] === null
          ? 'It is there already.'
          : 'It is not what `expect` says. Read it again, look at what changed, and send the new ETag.',
      { errors: [{ field: `event.expect.${name}`, message: 'is not the current state' }] },
    )
  }

function refuseTwice(kind: string, names: readonly string[]): void {
  const seen = new Set<string>()
  for (const name of names) {
    if (seen.has(name)) throw badField('event', `the ${kind} "${name}" is there twice`)
    seen.add(name)
  }
}

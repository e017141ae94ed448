// The HTTP server: rules for every request, and the list of resources.
import Fastify, { type FastifyBaseLogger, type FastifyRequest, LogController } from 'fastify'
import { newGate } from '#access/gate.ts'
import { newTokenLimiter } from '#access/token-limiter.ts'
import { Problem } from '#kit/errors.ts'
import { newId } from '#kit/ids.ts'
import { newAddressOf } from '#kit/net/client-address.ts'
import { newRate } from '#kit/rate.ts'
import { newBulk } from '#tasks/steer/bulk.ts'
import { newMeltedOutputs } from '#tasks/try/melted.ts'
import { newRenditions } from '#tasks/try/rendition.ts'
import { newThumbnails } from '#tasks/try/thumbnail.ts'
import { sendNothing } from './guest/guest-answers.ts'
import { guestPages } from './guest/guest-routes.ts'
import { refuseWhileClosing } from './hooks/closing.ts'
import { compressAnswers } from './hooks/compress.ts'
import { guard } from './hooks/guard.ts'
import { isGuestPath, keepGuestsApart, type Nothing } from './hooks/guest-host.ts'
import { addHeaders, setCommonHeaders } from './hooks/headers.ts'
import { answerUnknownPaths } from './hooks/not-found.ts'
import { answerErrors, asProblem, JSON_BYTES, PROBLEM_TYPE, problemBody, sendProblem } from './hooks/problem-answer.ts'
import { traceRequests } from './hooks/trace-requests.ts'
import { consoleFiles } from './operations/console.ts'
import { health } from './operations/health.ts'
import { metrics } from './operations/metrics.ts'
import { openApi } from './operations/openapi.ts'
import { signInPages } from './operations/sign-in-routes.ts'
import { activities } from './resources/activity-routes.ts'
import { adapters } from './resources/adapter-routes.ts'
import { apply } from './resources/apply-routes.ts'
import { assets } from './resources/asset-routes.ts'
import { audit } from './resources/audit-routes.ts'
import { callbackResend } from './resources/callback-resend.ts'
import { callbacks } from './resources/callback-routes.ts'
import { configurations } from './resources/configuration-routes.ts'
import { erasures } from './resources/erasure-routes.ts'
import { experiences } from './resources/experience-routes.ts'
import { keepsakes } from './resources/keepsake-routes.ts'
import { checks, pictures, previews } from './resources/preview-routes.ts'
import { profiles } from './resources/profile-routes.ts'
import { rolls } from './resources/roll-routes.ts'
import { search } from './resources/search-routes.ts'
import { sessions } from './resources/session-routes.ts'
import { stats } from './resources/stats-routes.ts'
import { tokens } from './resources/token-routes.ts'
import { resumableUploads } from './resources/upload-routes.ts'
import { versions } from './resources/version-routes.ts'
import { newWorks } from './route/client-work.ts'
import type { Services } from './route/http-services.ts'
import { type App, type Context, pathOf, type Resource } from './route/route.ts'
import { usualWaits } from './route/waits.ts'
import { site } from './site/site.ts'
import { bulkSteering } from './tasks/bulk-routes.ts'
import { listEvents } from './tasks/list-events.ts'
import { taskPictures } from './tasks/task-pictures.ts'
import { tasks } from './tasks/task-routes.ts'
import { taskGroups } from './tasks/taskgroup-routes.ts'
import { zips } from './tasks/zip-routes.ts'
import { wallKeys } from './wall/wall-key-routes.ts'
import { wallQueue } from './wall/wall-queue-routes.ts'
import { wallPages } from './wall/wall-routes.ts'
import { boundPatience } from './wire/client-deadlines.ts'
import { parseJsonBytes } from './wire/json-body.ts'
import { refuseBadText, refuseUnknownQueries, validatorCompiler } from './wire/validate.ts'

const MINUTE_MS = 60_000
const MISSES_A_MINUTE = 60

/** One line per resource. */
const resources: Resource[] = [
  activities,
  adapters,
  apply,
  assets,
  audit,
  bulkSteering,
  callbackResend,
  callbacks,
  checks,
  configurations,
  erasures,
  experiences,
  guestPages,
  health,
  keepsakes,
  listEvents,
  previews,
  pictures,
  profiles,
  resumableUploads,
  search,
  sessions,
  signInPages,
  stats,
  taskGroups,
  taskPictures,
  tasks,
  tokens,
  rolls,
  versions,
  wallKeys,
  wallPages,
  wallQueue,
  zips,
]

/** `watch` gets the server before it has any route. */
export async function buildServer(services: Services, watch: (app: App) => void = () => {}): Promise<App> {
  const { settings, log } = services
  const nothing: Nothing = (request, reply, problem) => sendNothing(settings, request, reply, problem)
  /** What no route has answered: a guest gets a page, whatever it is. */
  const send: typeof sendProblem = (request, reply, problem) =>
    (isGuestPath(pathOf(request)) ? nothing : sendProblem)(request, reply, problem)
  const app: App = Fastify({
    loggerInstance: services.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: () => newId(),
    bodyLimit: JSON_BYTES,
    // Time for 4 GiB over a slow line; a sender that falls silent is dropped much earlier.
    requestTimeout: 4 * 3600_000,
    keepAliveTimeout: 65_000,
    // Time-outs are checked every few seconds. TCP keep-alive finds machines that vanished.
    http: {
      headersTimeout: 20_000,
      connectionsCheckingInterval: 5_000,
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
    },
    // Answered below, as a problem.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2048 },
    // Named here, so that Fastify does not load its own. Its type knows no validator but Ajv.
    // Response schemas are for the reference and the tests; responses are not filtered by them.
    schemaController: {
      compilersFactory: {
        buildValidator: () => validatorCompiler as never,
        buildSerializer: () => () => JSON.stringify,
      },
    },
    frameworkErrors(error, request, reply) {
      setCommonHeaders(request, reply)
      send(request, reply, asProblem(error))
    },
    clientErrorHandler(error, socket) {
      if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
      const known = asProblem(error)
      const problem = known.status < 500 ? known : new Problem('bad_request', 'That is not valid HTTP.')
      const body = JSON.stringify(problemBody(problem))
      socket.end(
        `HTTP/1.1 ${problem.status} Bad Request\r\ncontent-type: ${PROBLEM_TYPE}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
      )
    },
  })
  watch(app)
  const gate = newGate(services.db, services.adminToken, log)
  const limiter = newTokenLimiter(services.db, log, settings.maxRequests)
  const address = newAddressOf(settings.trustProxy)
  const addressOf = ({ raw }: FastifyRequest): string =>
    address(raw.socket.remoteAddress, [raw.headers['x-forwarded-for']].flat().join(','))

  app.removeAllContentTypeParsers()
  for (const type of ['application/json', /^application\/[\w.-]+\+json\b/])
    app.addContentTypeParser(type, { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
      body.length === 0 ? undefined : parseJsonBytes(body),
    )
  refuseWhileClosing(app)
  traceRequests(app, services.tracer)
  boundPatience(app, settings)
  keepGuestsApart(app, settings, nothing)
  addHeaders(app, settings)
  compressAnswers(app)
  answerErrors(app)
  guard(app, {
    gate,
    limiter,
    badTokens: newRate(settings.maxBadTokens, MINUTE_MS),
    addressOf,
    stopping: () => services.stopping?.() ?? false,
  })
  app.addHook('preValidation', refuseBadText)
  refuseUnknownQueries(app)
  answerUnknownPaths(app, {
    send,
    pages: (...asked) => (isGuestPath(pathOf(asked[0])) ? null : pages(...asked)),
  })
  await openApi(app, services)
  site(app)
  metrics(app, services)
  const melted = newMeltedOutputs(services)
  app.addHook('onClose', async () => melted.close())
  const bulk = newBulk(services)
  app.addHook('onClose', () => bulk.stop())
  const misses = newRate(MISSES_A_MINUTE, MINUTE_MS)
  const waits = { ...usualWaits, ...services.waits }
  const renditions = newRenditions({ ...services, waits })
  const logos = newThumbnails({ ...services, waits }, 'logo')
  const works = newWorks(settings)
  const context: Context = {
    ...services,
    waits,
    gate,
    limiter,
    works,
    melted,
    renditions,
    logos,
    bulk,
    misses,
    addressOf,
  }
  for (const resource of resources) await app.register(async scope => resource(scope.withTypeProvider(), context))
  const pages = await consoleFiles(app)
  await app.ready()
  return app
}

// The HTTP server: what holds for every request, and the list of resources.
import Fastify, { type FastifyBaseLogger, type FastifyRequest, LogController } from 'fastify'
import { newGate } from '#access/gate.ts'
import { newUse } from '#access/use.ts'
import { newAddressOf } from '#kit/client-address.ts'
import { Problem } from '#kit/errors.ts'
import { newId } from '#kit/ids.ts'
import { newRate } from '#kit/rate.ts'
import { newMeltedOutputs } from '#tasks/try/melted.ts'
import { activities } from './activity.ts'
import { adapters } from './adapter.ts'
import type { App, House, Resource } from './app.ts'
import { assets } from './asset.ts'
import { callbacks } from './callback.ts'
import { callbackResend } from './callback-resend.ts'
import { configurations } from './configuration.ts'
import { consoleFiles } from './console.ts'
import { docs } from './docs.ts'
import { experiences } from './experience.ts'
import { guard } from './guard.ts'
import { addHeaders } from './headers.ts'
import { health } from './health.ts'
import { parseJsonBytes } from './json-body.ts'
import { listEvents } from './list-events.ts'
import { metrics } from './metrics.ts'
import { answerUnknownPaths } from './not-found.ts'
import { openApi } from './openapi.ts'
import { boundPatience } from './patience.ts'
import { checks, previews } from './preview.ts'
import { answerErrors, asProblem, PROBLEM_TYPE, problemBody, sendProblem } from './problem.ts'
import { profiles } from './profile.ts'
import type { Services } from './services.ts'
import { sessions } from './session.ts'
import { stats } from './stats.ts'
import { tasks } from './task.ts'
import { taskPictures } from './task-pictures.ts'
import { taskGroups } from './taskgroup.ts'
import { tokens } from './token.ts'
import { refuseBadText, refuseUnknownQueries, validatorCompiler } from './validate.ts'
import { newWorks } from './works.ts'

const JSON_BYTES = 1024 ** 2
const MINUTE_MS = 60_000

/** One line per resource. */
const resources: Resource[] = [
  activities,
  adapters,
  assets,
  callbackResend,
  callbacks,
  checks,
  configurations,
  experiences,
  health,
  listEvents,
  previews,
  profiles,
  sessions,
  stats,
  taskGroups,
  taskPictures,
  tasks,
  tokens,
]

/** `watch` sees the server before it has any route. */
export async function buildServer(services: Services, watch: (app: App) => void = () => {}): Promise<App> {
  const app: App = Fastify({
    loggerInstance: services.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: () => newId(),
    bodyLimit: JSON_BYTES,
    // Room for 4 GiB over a slow line; a sender that falls silent is dropped much earlier.
    requestTimeout: 4 * 3600_000,
    keepAliveTimeout: 65_000,
    // Looked after every few seconds; a machine that vanished without a word is found out by the network.
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
    frameworkErrors: (error, request, reply) => void sendProblem(request, reply, asProblem(error)),
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
  const { settings, log } = services
  const gate = newGate(services.db, services.adminToken, log)
  const use = newUse(services.quick, log, settings.maxRequests)
  const address = newAddressOf(settings.trustProxy)
  const addressOf = ({ raw }: FastifyRequest): string =>
    address(raw.socket.remoteAddress, [raw.headers['x-forwarded-for']].flat().join(','))

  app.setValidatorCompiler(validatorCompiler)
  // The schemas of answers are for the reference and the tests; what the code says is what is sent.
  app.setSerializerCompiler(() => JSON.stringify)
  app.removeAllContentTypeParsers()
  for (const type of ['application/json', /^application\/[\w.-]+\+json\b/])
    app.addContentTypeParser(type, { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
      body.length === 0 ? undefined : parseJsonBytes(body),
    )
  refuseWhileClosing(app)
  boundPatience(app, settings)
  addHeaders(app, settings)
  answerErrors(app)
  guard(app, {
    gate,
    use,
    badTokens: newRate(settings.maxBadTokens, MINUTE_MS),
    addressOf,
    stopping: () => services.stopping?.() ?? false,
  })
  app.addHook('preValidation', refuseBadText)
  refuseUnknownQueries(app)
  answerUnknownPaths(app, (request, reply) => pages(request, reply))
  await openApi(app, services.version)
  docs(app)
  metrics(app, services)
  const melted = newMeltedOutputs(services)
  app.addHook('onClose', async () => melted.close())
  const house: House = { ...services, gate, use, works: newWorks(settings), melted, addressOf }
  for (const resource of resources) await app.register(async scope => resource(scope.withTypeProvider(), house))
  const pages = await consoleFiles(app)
  await app.ready()
  return app
}

function refuseWhileClosing(app: App): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  // Else the connection would be kept open for a next request that is never to come.
  app.addHook('onSend', async (_request, reply) => {
    if (closing) reply.header('connection', 'close')
  })
  app.addHook('onRequest', async () => {
    if (closing)
      throw new Problem('unavailable', 'The service is stopping. Try again shortly.', { retryAfterSeconds: 5 })
  })
}

// Serves nothing but the pages of guests under the address that guests see, where that is one of its own.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '#kit/errors.ts'
import { publicUrlOf, type Settings } from '#kit/settings.ts'
import { type App, pathOf } from '../route/route.ts'
import { setCommonHeaders } from './headers.ts'

/** Answers that there is nothing: with a page for people, with a problem for programs. */
export type Nothing = (request: FastifyRequest, reply: FastifyReply, problem: Problem) => FastifyReply

interface Address {
  name: string
  /** Empty: the one that needs not be told, of http or of https. A proxy says it or leaves it out as it likes. */
  port: string
}

export function keepGuestsApart(app: App, settings: Settings, nothing: Nothing): void {
  const { publicUrl, consoleUrl } = settings
  if (publicUrl === null) return
  const guests = addressOf(publicUrl)
  const own = addressOf(publicUrlOf({ ...settings, publicUrl: null }))
  if (guests === null || isSame(guests, own)) return
  const operators = consoleUrl === null ? null : addressOf(consoleUrl)
  /** Who asks chooses the port in `Host` freely, so a request to the name of guests is theirs, unless the console is said to be there. */
  const isOfGuests = (address: Address | null): boolean =>
    address?.name === guests.name && (address.port === guests.port || !isSame(address, operators))
  app.addHook('onRequest', async (request, reply) => {
    if (isGuestPath(pathOf(request))) return
    const { host = '', 'x-forwarded-host': forwarded = [] } = request.headers
    const told = [host, ...[forwarded].flat().flatMap(list => list.split(','))]
    if (!told.some(each => isOfGuests(addressOf(`http://${each.trim()}`)))) return
    setCommonHeaders(request, reply)
    return nothing(request, reply, new Problem('not_found', 'Nothing is served here.'))
  })
}

/** Whether the path lies where the pages of guests and the walls are; nothing else is ever served there. */
export function isGuestPath(path: string): boolean {
  const [, first = ''] = path.split('/', 2)
  return ['k', 'wall'].includes(decoded(first))
}

/** Null: no address at all. */
function addressOf(url: string): Address | null {
  if (!URL.canParse(url)) return null
  const { hostname, port } = new URL(url)
  return { name: hostname.replace(/\.$/, ''), port: ['80', '443'].includes(port) ? '' : port }
}

const isSame = (one: Address, other: Address | null): boolean => one.name === other?.name && one.port === other.port

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

// Which network addresses may be reached: public ones, and those an operator has put on the allow list.
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { BadSetting } from '../settings.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')
// Azure's machine metadata and DNS answer on this address although it is a public one.
const publicMetadata = ipaddr.IPv4.parse('168.63.129.16')

/** IPv4 addresses that travel inside an IPv6 one (mapped, NAT64) are judged as the IPv4 address they reach. */
function unwrap(text: string): Address {
  const address = ipaddr.process(text)
  if (address instanceof ipaddr.IPv6 && address.match(nat64)) {
    return new ipaddr.IPv4(address.toByteArray().slice(12))
  }
  return address
}

/** ISATAP carries an IPv4 address in the lower half of an otherwise public IPv6 address. */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean => parts[5] === 0x5efe && ((parts[4] ?? 0) & ~0x0200) === 0

/** True for addresses of the public internet only: no private, loopback, link-local, metadata or tunnel address. */
export function isPublic(text: string): boolean {
  const address = unwrap(text)
  if (address.range() !== 'unicast') return false
  if (address instanceof ipaddr.IPv4) return address.toString() !== publicMetadata.toString()
  return address.zoneId === undefined && address.match(globalUnicast) && !isIsatap(address)
}

const localNames = new Set(['localhost', 'localhost.localdomain', 'ip6-localhost', 'ip6-loopback'])

/** Names that mean this machine everywhere, so that nobody need be asked for their addresses (RFC 6761, and the usual hosts file). */
export const isLocalName = (host: string): boolean => localNames.has(host) || host.endsWith('.localhost')

/** This machine itself, and no other. */
export function isLoopback(host: string): boolean {
  const plain = plainHost(host)
  return isLocalName(plain) || (ipaddr.isValid(plain) && ipaddr.process(plain).range() === 'loopback')
}

export interface AllowList {
  /** The host as written in a URL: a listed name, or a literal address inside a listed range. */
  host(host: string): boolean
  address(address: string): boolean
}

/** A host as it is compared: lower case, no brackets, no dot at the end. */
export const plainHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')

// The last part of a name is never a number, so a mistyped address is not taken for one (as in the URL standard).
const isHostName = (name: string): boolean => {
  const labels = (name.startsWith('*.') ? name.slice(2) : name).split('.')
  return labels.every(label => /^[\p{L}\p{N}_-]+$/u.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '')
}

/** Entries are host names (`*.example.com` for all below it), IP addresses or CIDR ranges. */
export function allowList(entries: readonly string[]): AllowList {
  const names = new Set<string>()
  const suffixes: string[] = []
  const ranges: [Address, number][] = []
  for (const entry of entries) {
    const plain = plainHost(entry)
    if (ipaddr.isValidCIDR(plain)) ranges.push(ipaddr.parseCIDR(plain))
    else if (isIP(plain)) ranges.push(wholeAddress(unwrap(plain)))
    else if (!isHostName(plain))
      throw new BadSetting(`KEEPSAKE_ALLOW_HOSTS: "${entry}" is not a host, an IP address or a CIDR range`)
    else if (plain.startsWith('*.')) suffixes.push(plain.slice(1))
    else names.add(plain)
  }
  const address = (text: string): boolean => {
    const found = unwrap(text)
    return ranges.some(range => range[0].kind() === found.kind() && found.match(range))
  }
  const host = (text: string): boolean => {
    const plain = plainHost(text)
    if (isIP(plain)) return address(plain)
    if (names.has(plain) || suffixes.some(suffix => plain.endsWith(suffix))) return true
    return isLocalName(plain) && (address('127.0.0.1') || address('::1'))
  }
  return { host, address }
}

const wholeAddress = (address: Address): [Address, number] => [address, address.kind() === 'ipv4' ? 32 : 128]

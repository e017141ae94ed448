// From which address a request came, when proxies that are trusted stand in between.
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** `forwarded` is the header X-Forwarded-For. Answers a key: an IPv4 address, or the network of an IPv6 one. */
type AddressOf = (socket: string | undefined, forwarded: string | undefined) => string

function within(entries: readonly string[]): (address: Address) => boolean {
  const ranges = entries.map(entry => (ipaddr.isValidCIDR(entry) ? ipaddr.parseCIDR(entry) : single(entry)))
  return address => ranges.some(range => range[0].kind() === address.kind() && address.match(range))
}

/** Whether an address belongs to one of the addresses and CIDR ranges. */
export function newTrust(trusted: readonly string[]): (socket: string | undefined) => boolean {
  const isTrusted = within(trusted)
  return socket => {
    const address = parsed(socket ?? '')
    return address !== null && isTrusted(address)
  }
}

/** `trusted`: the addresses and CIDR ranges whose X-Forwarded-For counts. */
export function newAddressOf(trusted: readonly string[]): AddressOf {
  const isTrusted = within(trusted)

  return (socket, forwarded) => {
    let address = parsed(socket ?? '')
    if (!address) return 'unknown'
    // Each proxy adds the address it was asked from at the end, so what a client made up stands further to the left.
    const hops = forwarded?.split(',') ?? []
    while (isTrusted(address)) {
      const before: Address | null = parsed(hops.pop() ?? '')
      if (!before) break
      address = before
    }
    return keyOf(address)
  }
}

const single = (entry: string): [Address, number] => {
  const address = ipaddr.process(entry)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

/** Proxies may write a port behind the address; an IPv4 address inside an IPv6 one is itself. */
function parsed(text: string): Address | null {
  const plain = text
    .trim()
    .replace(/^\[([^\]]*)\](:\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
  return ipaddr.isValid(plain) ? ipaddr.process(plain) : null
}

/** Whoever has one IPv6 address has all of its /64. */
const keyOf = (address: Address): string =>
  address instanceof ipaddr.IPv4
    ? address.toString()
    : `${address.parts
        .slice(0, 4)
        .map(part => part.toString(16))
        .join(':')}::/64`

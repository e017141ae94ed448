// Addresses that must never be reached, and the many ways of writing each of them in a URL.
import ipaddr from 'ipaddr.js'

export const forbiddenAddresses: readonly string[] = [
  // this host and loopback
  '0.0.0.0',
  '0.0.0.1',
  '0.255.255.255',
  '127.0.0.1',
  '127.0.0.2',
  '127.0.1.1',
  '127.1.2.3',
  '127.127.127.127',
  '127.255.255.254',
  '127.255.255.255',
  // private
  '10.0.0.0',
  '10.0.0.1',
  '10.1.2.3',
  '10.10.10.10',
  '10.96.0.1',
  '10.255.255.255',
  '172.16.0.0',
  '172.16.0.1',
  '172.17.0.1',
  '172.20.10.2',
  '172.31.255.255',
  '192.168.0.0',
  '192.168.0.1',
  '192.168.1.1',
  '192.168.1.254',
  '192.168.99.100',
  '192.168.255.255',
  // link-local and the metadata services of clouds
  '169.254.0.1',
  '169.254.169.253',
  '169.254.169.254',
  '169.254.170.2',
  '169.254.255.255',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  // shared, protocol assignments, documentation, benchmarks
  '100.64.0.0',
  '100.64.0.1',
  '100.127.255.255',
  '192.0.0.1',
  '192.0.0.170',
  '192.0.2.1',
  '192.0.2.255',
  '192.88.99.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.7',
  // multicast, reserved, broadcast
  '224.0.0.1',
  '224.0.0.251',
  '239.255.255.250',
  '240.0.0.1',
  '250.1.2.3',
  '255.255.255.254',
  '255.255.255.255',
  // IPv6: unspecified, loopback, old IPv4 forms
  '::',
  '::1',
  '::7f00:1',
  '::a00:1',
  '::ffff:0:7f00:1',
  '64:ff9b:1::7f00:1',
  // IPv6: link-local, unique local, site-local, multicast
  'fe80::1',
  'fe80::a9fe:a9fe',
  'febf::1',
  'fc00::1',
  'fd00::1',
  'fd00:ec2::254',
  'fdff:ffff:ffff::1',
  'fec0::1',
  'ff02::1',
  'ff05::2',
  'ff0e::1',
  // IPv6: discard, tunnels, documentation, others
  '100::1',
  '100:0:0:1::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::1',
  '2001:10::1',
  '3fff::1',
  '5f00::1',
  '2600:1f00::5efe:7f00:1',
]

const forms4 = (n: number): string[] => [`${n}`, `0x${n.toString(16)}`, `0${n.toString(8)}`]
const wide = (text: string): string => text.replace(/[0-9]/g, digit => String.fromCharCode(0xff10 + Number(digit)))
const encoded = (text: string): string => [...text].map(c => `%${c.charCodeAt(0).toString(16)}`).join('')
const hex4 = (n: number): string => n.toString(16).padStart(4, '0')

function spellings4(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  const whole = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0
  const low24 = (b << 16) | (c << 8) | d
  const low16 = (c << 8) | d
  const [hi, lo] = [hex4(whole >>> 16), hex4(whole & 0xffff)]
  const mixed = [0, 1, 2, 3, 4, 5, 6].map(i => [a, b, c, d].map((n, at) => forms4(n)[(i + at) % 3]).join('.'))
  return [
    address,
    `${address}.`,
    ...mixed,
    ...forms4(whole),
    `0X${whole.toString(16).toUpperCase()}`,
    `0x00000000${whole.toString(16)}`,
    `${a}.${low24}`,
    `${a}.0x${low24.toString(16)}`,
    `${a}.${b}.${low16}`,
    `0x${a.toString(16)}.${b}.0${low16.toString(8)}`,
    wide(address),
    wide(String(whole)),
    encoded(address),
    address.replaceAll('.', '。'),
    address.replaceAll('.', '．'),
    address.replaceAll('.', '%2e'),
    `[::ffff:${address}]`,
    `[::FFFF:${address}]`,
    `[0:0:0:0:0:ffff:${address}]`,
    `[0000:0000:0000:0000:0000:ffff:${hi}:${lo}]`,
    `[::ffff:${hi}:${lo}]`,
    `[::${address}]`,
    `[::${hi}:${lo}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b::${hi}:${lo}]`,
    `[64:ff9b:1::${address}]`,
    `[2002:${hi}:${lo}::1]`,
    `[2002:${hi}:${lo}::]`,
    `[2001:0:${hi}:${lo}::1]`,
    `[2001:0:1:2:3:4:${hi}:${lo}]`,
    `[::ffff:0:${address}]`,
    `[2600:1f00::5efe:${address}]`,
    `user@${address}`,
    `%75ser@${address}`,
    `x@[::ffff:${hi}:${lo}]`,
    `${address}.:443@${address}`,
    `:word@${address}`,
    `user:word@${address}`,
  ]
}

function spellings6(address: string): string[] {
  const { parts } = ipaddr.IPv6.parse(address)
  const full = parts.map(hex4)
  const short = parts.map(part => part.toString(16))
  const tail = `${(parts[6] ?? 0) >> 8}.${(parts[6] ?? 0) & 255}.${(parts[7] ?? 0) >> 8}.${(parts[7] ?? 0) & 255}`
  const upper = (list: string[]) => list.map(part => part.toUpperCase())
  const mixedWidths = Array.from({ length: 32 }, (_, i) =>
    parts.map((part, at) => part.toString(16).padStart(1 + ((i >> (2 * (at % 3))) & 3), '0')).join(':'),
  )
  const plain = [
    address,
    address.toUpperCase(),
    full.join(':'),
    upper(full).join(':'),
    short.join(':'),
    upper(short).join(':'),
    `${short.slice(0, 6).join(':')}:${tail}`,
    `${full.slice(0, 6).join(':')}:${tail}`,
    `${upper(full.slice(0, 6)).join(':')}:${tail}`,
    ...mixedWidths,
  ]
  return [
    ...plain.map(text => `[${text}]`),
    `[${address}%25eth0]`,
    `[${address}%25lo]`,
    `[${address}%251]`,
    `user@[${address}]`,
    `user:word@[${address}]`,
    `u%40x@[${full.join(':')}]`,
    `:@[${short.join(':')}]`,
  ]
}

/** Host parts of URLs, at least 40 for each address. */
export const spellings = (address: string): string[] =>
  address.includes(':') ? spellings6(address) : spellings4(address)

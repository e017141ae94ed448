// A certificate authority of the test's own, trusted by this process alone.
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { generate } from 'selfsigned'

export interface Certificate {
  key: string
  cert: string
}

export interface Authority {
  /** The CA's certificate, for `NODE_EXTRA_CA_CERTS` of a child process. */
  cert: string
  /** A certificate for host names and IP addresses, signed by this authority. */
  issue(names: readonly string[], options?: { from?: Date; until?: Date }): Promise<Certificate>
}

const inADay = () => new Date(Date.now() + 86_400_000)
const common = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const

export async function newAuthority(): Promise<Authority> {
  const ca = await generate([{ name: 'commonName', value: 'Keepsake test authority' }], {
    ...common,
    notAfterDate: inADay(),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  })
  return {
    cert: ca.cert,
    async issue(names, { from = new Date(Date.now() - 3_600_000), until = inADay() } = {}) {
      const altNames = names.map(name =>
        /^[\d.]+$|:/.test(name) ? { type: 7 as const, ip: name } : { type: 2 as const, value: name },
      )
      const made = await generate([{ name: 'commonName', value: names[0] ?? 'test' }], {
        ...common,
        notBeforeDate: from,
        notAfterDate: until,
        ca: { key: ca.private, cert: ca.cert },
        extensions: [
          { name: 'basicConstraints', cA: false },
          { name: 'extKeyUsage', serverAuth: true },
          { name: 'subjectAltName', altNames },
        ],
      })
      return { key: made.private, cert: made.cert }
    },
  }
}

/** What `NODE_EXTRA_CA_CERTS` does at start, for a process that already runs. */
export function trust(authority: Authority): void {
  setDefaultCACertificates([...getCACertificates('default'), authority.cert])
}

// Signs a callback as Standard Webhooks requires: one signature for each valid secret.
import { Webhook } from 'standardwebhooks'

export const signatures = (secrets: readonly string[], id: string, timestamp: number, body: string): string =>
  secrets.map(secret => new Webhook(secret).sign(id, new Date(timestamp * 1000), body)).join(' ')

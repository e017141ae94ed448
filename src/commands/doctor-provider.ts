// The check of the OpenID provider for `keepsake doctor`: its roles can be read, and it answers.
import { randomBytes } from 'node:crypto'
import { newOpenId } from '#access/openid.ts'
import { parseRoles } from '#access/roles.ts'
import { newLog } from '#kit/log.ts'
import { secretBox } from '#kit/secret/secrets.ts'
import { BadSetting, type Settings } from '#kit/settings.ts'

export async function checkProvider(settings: Settings): Promise<['ok' | 'fail', string]> {
  const { oidcIssuer, oidcClientId } = settings
  const host = new URL(String(oidcIssuer)).host
  try {
    const roles = parseRoles(settings.oidcRoles)
    const given = { ...settings, oidcIssuer: String(oidcIssuer), oidcClientId: String(oidcClientId) }
    const openId = newOpenId(given, secretBox([randomBytes(32)]), newLog('silent', 'doctor'))
    try {
      await openId.check()
    } finally {
      await openId.close()
    }
    return ['ok', `${host} answers as an OpenID provider; ${roles.length} ${roles.length === 1 ? 'role' : 'roles'}`]
  } catch (error) {
    if (error instanceof BadSetting) return ['fail', error.message]
    return ['fail', `${host} does not answer as an OpenID provider (KEEPSAKE_OIDC_ISSUER)`]
  }
}

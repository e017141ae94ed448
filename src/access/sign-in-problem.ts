// Why a person could not be signed in, by a word that a page can show a sentence for.
import { type Code, Problem } from '#kit/errors.ts'

type Reason = 'off' | 'expired' | 'refused' | 'no_role' | 'provider' | 'too_many' | 'no_sign_out'

const told: Record<Reason, [code: Code, sentence: string]> = {
  off: ['not_found', 'Nobody signs in with OpenID Connect here: KEEPSAKE_OIDC_ISSUER is not set.'],
  expired: ['bad_request', 'This sign-in was not begun in this browser within the last 10 minutes. Begin again.'],
  refused: ['unauthorized', 'The provider did not sign you in.'],
  no_role: ['forbidden', 'You are known to the provider, but have no role here. Ask who runs this Keepsake.'],
  provider: ['unavailable', 'The provider of sign-ins could not be asked. Try again shortly, or sign in with a token.'],
  no_sign_out: ['not_found', 'The provider has no page for signing out. Sign out on its own site.'],
  too_many: ['too_many_requests', 'Too many sign-ins came from your address. Wait a minute.'],
}

export class SignInProblem extends Problem {
  readonly reason: Reason
  constructor(reason: Reason, cause?: unknown) {
    const [code, sentence] = told[reason]
    super(code, sentence, {
      cause,
      ...(reason === 'provider' || reason === 'too_many' ? { retryAfterSeconds: 30 } : {}),
    })
    this.reason = reason
  }
}

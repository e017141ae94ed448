// The table of roles that an option can have, from the contract of adapters.
import { roles } from '../../src/engine/option-roles.ts'

export const rolesTable = () =>
  [
    '| `role` | the option is |',
    '|---|---|',
    ...Object.entries(roles).map(([role, what]) => `| \`${role}\` | ${what} |`),
  ].join('\n')

// The table of errors, from the catalogue.
import { catalogue } from '../../src/kit/errors.ts'

export const errorsTable = () =>
  [
    '| code | status | fault | meaning |',
    '|---|---|---|---|',
    ...Object.entries(catalogue).map(
      ([code, { status, fault, title }]) => `| <a id="${code}"></a>\`${code}\` | ${status} | ${fault} | ${title} |`,
    ),
  ].join('\n')

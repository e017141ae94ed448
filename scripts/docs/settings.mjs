// The tables of settings and limits, from where they are declared.
import { table } from '../../src/kit/settings.ts'

const settings = Object.values(table)
const isLimit = ({ name }) => name.startsWith('KEEPSAKE_MAX_')

/** What depends on the machine is told in words. */
const inWords = ['KEEPSAKE_CONCURRENCY', 'KEEPSAKE_MAX_MEMORY_BYTES']
const shown = ({ name, shown: value }) => (value === '' || inWords.includes(name) ? value : `\`${value}\``)

const rows = list =>
  list.map(setting => `| \`${setting.name}\` | ${shown(setting)} | ${setting.meaning.replaceAll('|', '\\|')} |`)
const asTable = list => ['| setting | default | meaning |', '|---|---|---|', ...rows(list)].join('\n')

export const settingsTable = () => asTable(settings.filter(setting => !isLimit(setting)))
export const limitsTable = () => asTable(settings.filter(isLimit))

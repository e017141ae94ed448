// Which language the console speaks: the one chosen here, else the browser's first that there is, else English.
import type { Table } from './table.ts'

/** Each but English is one file of sentences; `words` is the locale whose dates stand among them. */
export const languages = {
  en: { name: 'English', words: 'en-GB' },
  de: { name: 'Deutsch', words: 'de-DE' },
} as const
export type Language = keyof typeof languages

const files: Record<Exclude<Language, 'en'>, () => Promise<{ default: Table }>> = {
  de: () => import('./de.json', { with: { type: 'json' } }),
}

const KEY = 'keepsake-language'
const isLanguage = (text: string | null | undefined): text is Language => !!text && Object.hasOwn(languages, text)
const baseOf = (locale: string): string => locale.split('-')[0]?.toLowerCase() ?? ''
/** Outside of a browser, as in tests of the models, it is English. */
const preferred: readonly string[] = typeof document === 'undefined' ? [] : navigator.languages

function chosen(): string | null {
  try {
    return typeof document === 'undefined' ? null : localStorage.getItem(KEY)
  } catch {
    return null
  }
}

function choose(): Language {
  const kept = chosen()
  return isLanguage(kept) ? kept : (preferred.map(baseOf).find(isLanguage) ?? 'en')
}

/** A language whose file can't be fetched is no reason for a white page: English is always there. */
async function fetched(wanted: Language): Promise<{ language: Language; table: Table }> {
  if (wanted === 'en') return { language: 'en', table: {} }
  return files[wanted]().then(
    ({ default: table }) => ({ language: wanted, table }),
    () => ({ language: 'en' as const, table: {} }),
  )
}

// Awaited before any other module runs, so that sentences in constants are in the right language too.
export const { language, table } = await fetched(choose())

/** As the viewer's own country writes numbers and times in this language. */
export const locale: string = preferred.find(name => baseOf(name) === language) ?? languages[language].words
export const wordLocale: string = language === 'en' ? languages.en.words : locale

if (typeof document !== 'undefined') document.documentElement.lang = language

/** The page is loaded anew: one page never speaks two languages. */
export function speak(next: Language): void {
  try {
    localStorage.setItem(KEY, next)
  } catch {
    // Without storage the choice can't be kept, and the browser's language stays.
  }
  location.reload()
}

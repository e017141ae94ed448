// The choice of the language, each by its own name, so that whoever can't read this page finds theirs.
import { Languages } from 'lucide-react'
import { classes } from '../parts/classes.ts'
import { type Language, language, languages, speak } from './language.ts'
import { t } from './t.ts'

export function LanguageChoice({ className }: { className?: string }) {
  return (
    <label
      className={classes(
        'flex min-h-10 items-center gap-2 rounded-lg px-3.5 text-[14px] font-semibold text-soft hover:bg-ink/6 hover:text-ink',
        className,
      )}
    >
      <Languages aria-hidden className="size-4 shrink-0" />
      <span className="sr-only">{t('Language')}</span>
      <select
        value={language}
        onChange={event => speak(event.target.value as Language)}
        className="min-h-8 min-w-0 flex-1 cursor-pointer rounded bg-transparent font-semibold"
      >
        {Object.entries(languages).map(([code, { name }]) => (
          <option key={code} value={code} lang={code} className="bg-card text-ink">
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

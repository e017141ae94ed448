// Looks up a sentence, fills in its placeholders and chooses the form that its number asks for.

/** Forms by `Intl.PluralRules`; `other` is always there. */
export type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }
export type Table = Readonly<Record<string, string | Forms>>

/** What follows a bar tells two meanings of one English word apart; it is never shown. */
export const shown = (key: string): string => key.split('|')[0] as string

export function sentenceOf(table: Table, key: string): string {
  const found = Object.hasOwn(table, key) ? table[key] : undefined
  return typeof found === 'string' ? found : (found?.other ?? shown(key))
}

/** The key of a sentence with a number is its plural. */
export function formOf(table: Table, rules: Intl.PluralRules, count: number, one: string, other: string): string {
  const found = Object.hasOwn(table, other) ? table[other] : undefined
  if (found === undefined) return shown(count === 1 ? one : other)
  return typeof found === 'string' ? found : (found[rules.select(count)] ?? found.other)
}

/** `Made by {name}` is "Made by ", the value, and nothing more; braces without a value stay as they are. */
export function filled<Value>(sentence: string, values: Readonly<Record<string, Value>>): (string | Value)[] {
  return sentence.split(/\{(\w+)\}/).map((part, at) => {
    if (at % 2 === 0) return part
    return Object.hasOwn(values, part) ? (values[part] as Value) : `{${part}}`
  })
}

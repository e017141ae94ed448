// Says a sentence in the language of the page. The English sentence is the key: `t('Made by {name}', { name })`.
import { createElement, Fragment, type ReactNode } from 'react'
import { table, wordLocale } from './language.ts'
import { filled, formOf, sentenceOf } from './table.ts'

type Texts = Readonly<Record<string, string | number>>
type Nodes = Readonly<Record<string, ReactNode>>

const rules = new Intl.PluralRules(wordLocale)

/** Elements may stand in a sentence: then the answer is what React draws, else it is text. */
function say(sentence: string, values: Texts | Nodes): ReactNode {
  const parts = filled<ReactNode>(sentence, values)
  if (parts.every(part => typeof part === 'string' || typeof part === 'number')) return parts.join('')
  return createElement(Fragment, null, ...parts)
}

export function t(key: string, values?: Texts): string
export function t(key: string, values: Nodes): ReactNode
export function t(key: string, values: Texts | Nodes = {}): ReactNode {
  return say(sentenceOf(table, key), values)
}

/** Names that the service gives, such as those of options: in this language where they are known, else as they come. */
export const fromService = (text: string): string => sentenceOf(table, text)

/** A sentence with a number: the form for one, and the one for others. */
export function tn(count: number, one: string, other: string, values?: Texts): string
export function tn(count: number, one: string, other: string, values: Nodes): ReactNode
export function tn(count: number, one: string, other: string, values: Texts | Nodes = {}): ReactNode {
  return say(formOf(table, rules, count, one, other), { count, ...values })
}

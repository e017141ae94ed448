// What comes with a task: asked for field by field, as the steps need it; the JSON is there for the rest.

import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import type { JsonObject } from '../api/shapes.ts'
import { isObject, readObject } from '../form/json-text.ts'
import { changed } from '../form/options-form.tsx'
import { SchemaField } from '../form/schema-field.tsx'
import { plainWords } from '../form/words.ts'
import { AreaField, TextField } from '../parts/field.tsx'
import { t } from '../words/t.ts'
import { placeholdersOf, type SingleStep, type StepNeed } from './steps.ts'

interface Props {
  steps: readonly SingleStep[]
  /** Options that are empty and may come with a task. */
  needs: readonly StepNeed[]
  /** The name that people know a step by. */
  nameOf(step: SingleStep): string
  value: JsonObject
  onChange(value: JsonObject): void
}

export function ExtrasForm({ steps, needs, nameOf, value, onChange }: Props) {
  const { words, isGuestNamed } = placeholdersOf(steps)
  const own = isObject(value.per_configuration) ? value.per_configuration : {}
  const isAlone = steps.length < 2
  const optionsOf = (name: string): JsonObject => {
    const options = isAlone ? value : own[name]
    return isObject(options) ? options : {}
  }
  const put = (name: string, options: JsonObject) =>
    onChange(
      isAlone
        ? options
        : withOwn(value, changed(own, name, Object.keys(options).length > 0 ? options : undefined) as JsonObject),
    )
  const context = isObject(value.additional_context) ? value.additional_context : {}
  const say = (name: string, text: string) => {
    const next = changed(context, name, text === '' ? undefined : text)
    onChange(changed(value, 'additional_context', Object.keys(next).length > 0 ? next : undefined))
  }
  return (
    <div className="space-y-4">
      {needs.map(({ step, option, label, schema }) => (
        <SchemaField
          key={`${step.name} ${option}`}
          name={option}
          label={isAlone ? label : t('{label}, for “{name}”', { label, name: nameOf(step) })}
          schema={schema}
          value={optionsOf(step.name)[option]}
          required
          error={undefined}
          onChange={given => put(step.name, changed(optionsOf(step.name), option, given))}
        />
      ))}
      {[...words].map(([name, preset]) => (
        <TextField
          key={name}
          label={plainWords(name)}
          dir="auto"
          value={typeof context[name] === 'string' ? context[name] : ''}
          placeholder={preset}
          onChange={event => say(name, event.target.value)}
          help={<code className="font-mono text-[12.5px]">{`{{${name}}}`}</code>}
        />
      ))}
      {isGuestNamed && (
        <TextField
          label={t('Guest’s e-mail')}
          type="email"
          value={[value.email]
            .flat()
            .filter(one => typeof one === 'string')
            .join(', ')}
          onChange={event => onChange(changed(value, 'email', event.target.value ? [event.target.value] : undefined))}
          help={t('Finds the guest whose details are filled in.')}
        />
      )}
      <AsJson value={value} onChange={onChange} />
    </div>
  )
}

function withOwn(value: JsonObject, own: JsonObject): JsonObject {
  return changed(value, 'per_configuration', Object.keys(own).length > 0 ? own : undefined)
}

function AsJson({ value, onChange }: Pick<Props, 'value' | 'onChange'>) {
  const shown = Object.keys(value).length > 0 ? JSON.stringify(value, null, 2) : ''
  const [typed, setTyped] = useState<string | null>(null)
  const read = readObject(typed ?? shown)
  return (
    <details className="group">
      <summary className="inline-flex min-h-8 list-none items-center gap-1 rounded text-[14px] font-semibold text-soft hover:text-ink">
        <ChevronRight aria-hidden className="size-4 transition-transform group-open:rotate-90" />
        {t('All extras as JSON')}
      </summary>
      <div className="mt-2">
        <AreaField
          label={t('Extras')}
          rows={4}
          spellCheck={false}
          className="font-mono text-[13px]"
          placeholder="{ }"
          value={typed ?? shown}
          onChange={event => {
            const next = readObject(event.target.value)
            setTyped(event.target.value)
            if (next.ok) onChange(next.value)
          }}
          onBlur={() => read.ok && setTyped(null)}
          error={read.ok ? undefined : read.message}
          help={t('Whatever a task may send: options, values for placeholders, the guest.')}
        />
      </div>
    </details>
  )
}

// The same steps as a list: everything the graph can do, by keyboard and on a phone.

import { ArrowDown, ArrowUp, Plus, Settings2, Trash2, TriangleAlert } from 'lucide-react'
import { Button, IconButton } from '../parts/button.tsx'
import { control } from '../parts/field.tsx'
import { t } from '../words/t.ts'
import type { Spot } from './graph.tsx'
import { connect, descends, type Link, move } from './model.ts'
import { StepFace, type StepLook } from './step-face.tsx'

interface Props {
  links: Link[]
  looks: ReadonlyMap<string, StepLook>
  errors: Map<number, string>
  /** Shows what each made, where there is no graph beside it. */
  isWhole: boolean
  onAdd(spot: Spot): void
  onSelect(key: string): void
  onRemove(keys: string[]): void
  onChange(links: Link[]): void
}

export function ChainList({ links, looks, errors, isWhole, onAdd, onSelect, onRemove, onChange }: Props) {
  const nameOf = ({ key, name }: Link) => looks.get(key)?.name ?? name
  return (
    <div>
      {links.length === 0 && <p className="px-4 pt-3 text-soft">{t('Nothing in it yet: add the first step.')}</p>}
      <ol>
        {links.map((link, index) => {
          const name = nameOf(link)
          const look = looks.get(link.key)
          return (
            <li key={link.key} className="border-b border-line px-4 py-3">
              <div className="flex items-center gap-1">
                <span className="edgeprint w-8 shrink-0">▸ {index}</span>
                <button
                  type="button"
                  onClick={() => onSelect(link.key)}
                  dir="auto"
                  className="min-h-9 min-w-0 flex-1 truncate rounded text-left font-semibold hover:underline max-md:min-h-11"
                  title={name}
                >
                  {name}
                </button>
                <IconButton
                  icon={Settings2}
                  label={t('Set up step {name}', { name })}
                  onClick={() => onSelect(link.key)}
                  className="max-md:hidden"
                />
                <IconButton
                  icon={ArrowUp}
                  label={t('Move {name} up', { name })}
                  disabled={move(links, link.key, -1) === links}
                  onClick={() => onChange(move(links, link.key, -1))}
                  className="disabled:opacity-30 max-md:size-11"
                />
                <IconButton
                  icon={ArrowDown}
                  label={t('Move {name} down', { name })}
                  disabled={move(links, link.key, 1) === links}
                  onClick={() => onChange(move(links, link.key, 1))}
                  className="disabled:opacity-30 max-md:size-11"
                />
                <IconButton
                  icon={Trash2}
                  label={t('Remove {name}', { name })}
                  onClick={() => onRemove([link.key])}
                  className="max-md:size-11"
                />
              </div>
              {isWhole && look && <StepFace look={look} isNameless />}
              <div className="mt-1.5 flex items-center gap-2 pl-10 max-md:pl-0">
                <label htmlFor={`input-${link.key}`} className="text-[13.5px] text-soft">
                  {t('takes')}
                </label>
                <select
                  id={`input-${link.key}`}
                  value={link.input ?? ''}
                  onChange={event => onChange(connect(links, link.key, event.target.value || null))}
                  className={`${control} min-h-9! py-1 text-[14px] max-md:min-h-11!`}
                >
                  <option value="">{t('the file sent in')}</option>
                  {links.map((other, at) =>
                    other.key === link.key || descends(links, other.key, link.key) ? null : (
                      <option key={other.key} value={other.key}>
                        {t('what ▸ {at} {name} makes', { at, name: nameOf(other) })}
                      </option>
                    ),
                  )}
                </select>
                <IconButton
                  icon={Plus}
                  label={t('Insert a step into the line before {name}', { name })}
                  onClick={() => onAdd({ before: link.key })}
                  className="max-md:size-11"
                />
              </div>
              {look?.trouble && (
                <p className="mt-1 flex items-center gap-1.5 pl-10 text-[13.5px] font-semibold text-warn max-md:pl-0">
                  <TriangleAlert aria-hidden className="size-3.5" /> {look.trouble}
                </p>
              )}
              {errors.has(index) && (
                <p className="mt-1 pl-10 text-[13.5px] font-semibold text-fail">{errors.get(index)}</p>
              )}
            </li>
          )
        })}
      </ol>
      <div className="p-4">
        <Button icon={Plus} onClick={() => onAdd({ after: links.at(-1)?.key ?? null })}>
          {t('Add a step at the end')}
        </Button>
      </div>
    </div>
  )
}

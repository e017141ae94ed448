// The same chain as a list: everything the graph can do, by keyboard and on a phone.
import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react'
import { IconButton } from '../parts/button.tsx'
import { control } from '../parts/field.tsx'
import { connect, descends, type Link, move, remove } from './model.ts'

export function ChainList({
  links,
  errors,
  onChange,
}: {
  links: Link[]
  errors: Map<number, string>
  onChange(links: Link[]): void
}) {
  if (links.length === 0) return <p className="px-4 py-3 text-soft">Nothing in it yet: add the first configuration.</p>
  return (
    <ol>
      {links.map((link, index) => (
        <li key={link.key} className="border-b border-line px-4 py-3 last:border-0">
          <div className="flex items-center gap-2">
            <span className="edgeprint w-8 shrink-0">▸ {index}</span>
            <span className="min-w-0 flex-1 truncate font-semibold" title={link.name}>
              {link.name}
            </span>
            <IconButton
              icon={ArrowUp}
              label={`Move ${link.name} up`}
              disabled={move(links, link.key, -1) === links}
              onClick={() => onChange(move(links, link.key, -1))}
              className="disabled:opacity-30"
            />
            <IconButton
              icon={ArrowDown}
              label={`Move ${link.name} down`}
              disabled={move(links, link.key, 1) === links}
              onClick={() => onChange(move(links, link.key, 1))}
              className="disabled:opacity-30"
            />
            <IconButton icon={Trash2} label={`Remove ${link.name}`} onClick={() => onChange(remove(links, link.key))} />
          </div>
          <div className="mt-1.5 flex items-center gap-2 pl-10">
            <label htmlFor={`input-${link.key}`} className="text-[13.5px] text-soft">
              takes
            </label>
            <select
              id={`input-${link.key}`}
              value={link.input ?? ''}
              onChange={event => onChange(connect(links, link.key, event.target.value || null))}
              className={`${control} min-h-9! py-1 text-[14px]`}
            >
              <option value="">the file sent in</option>
              {links.map((other, at) =>
                other.key === link.key || descends(links, other.key, link.key) ? null : (
                  <option key={other.key} value={other.key}>{`what ▸ ${at} ${other.name} makes`}</option>
                ),
              )}
            </select>
          </div>
          {errors.has(index) && <p className="mt-1 pl-10 text-[13.5px] font-semibold text-fail">{errors.get(index)}</p>}
        </li>
      ))}
    </ol>
  )
}

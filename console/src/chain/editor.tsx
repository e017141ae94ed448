// The chain editor: a palette of configurations, the graph, and the list; all three write the same call_chain.
import { GripVertical, Plus } from 'lucide-react'
import { useRef, useState } from 'react'
import type { CallChain, Configuration, FieldError } from '../api/shapes.ts'
import { Card, CardTitle } from '../parts/page.tsx'
import { ChainGraph } from './graph.tsx'
import { ChainList } from './list.tsx'
import { add, fromCallChain, type Link, remove, toCallChain } from './model.ts'

interface Props {
  chain: CallChain
  /** What may be put in: the configurations of the same experience. */
  choices: Configuration[]
  errors: FieldError[]
  onChange(chain: CallChain): void
}

export default function ChainEditor({ chain, choices, errors, onChange }: Props) {
  const [links, setLinks] = useState<Link[]>(() => fromCallChain(chain))
  const given = useRef(JSON.stringify(chain))
  // Changed from elsewhere (an import, the JSON): start again from that.
  if (JSON.stringify(chain) !== given.current) {
    given.current = JSON.stringify(chain)
    setLinks(fromCallChain(chain))
  }
  const change = (next: Link[]) => {
    setLinks(next)
    const written = toCallChain(next)
    given.current = JSON.stringify(written)
    onChange(written)
  }
  const append = (name: string) => change(add(links, name, links.at(-1)?.key ?? null))
  const label = (name: string) => {
    const found = choices.find(({ configuration_name }) => configuration_name === name)
    return found?.call_chain ? 'a chain' : (found?.adapter_name ?? 'not found')
  }
  const byIndex = new Map(
    errors.flatMap(({ field, message }) => {
      const index = /call_chain[.[](\d+)/.exec(field)?.[1]
      return index === undefined ? [] : [[Number(index), message] as const]
    }),
  )
  const whole = errors.find(({ field }) => field === 'call_chain')?.message
  return (
    <Card className="overflow-clip">
      <CardTitle
        aside={<span className="text-[13.5px] text-soft">Draw a line from a file to the entry that takes it</span>}
      >
        The chain
      </CardTitle>
      <div className="grid lg:grid-cols-[minmax(0,1fr)_minmax(300px,360px)]">
        <div className="min-w-0 border-line max-lg:border-t lg:border-r">
          <Palette choices={choices} label={label} onPick={append} />
          <ChainGraph
            links={links}
            onChange={change}
            onDropName={append}
            remove={key => change(remove(links, key))}
            label={label}
          />
        </div>
        <div className="max-h-[560px] overflow-y-auto border-t border-line lg:border-t-0">
          <ChainList links={links} errors={byIndex} onChange={change} />
          {whole && <p className="px-4 py-2 font-semibold text-fail">{whole}</p>}
        </div>
      </div>
    </Card>
  )
}

function Palette({
  choices,
  label,
  onPick,
}: {
  choices: Configuration[]
  label(name: string): string
  onPick(name: string): void
}) {
  return (
    <div className="border-b border-line bg-well px-4 py-3">
      <h3 className="edgeprint mb-2">Add by pressing or dragging</h3>
      {choices.length === 0 && (
        <p className="text-[14px] text-soft">This experience has no configurations yet. Make the single steps first.</p>
      )}
      <ul className="flex max-h-32 flex-wrap gap-2 overflow-y-auto p-0.5">
        {choices.map(({ configuration_name: name }) => (
          <li key={name}>
            <button
              type="button"
              draggable
              onDragStart={event => event.dataTransfer.setData('application/x-keepsake-configuration', name)}
              onClick={() => onPick(name)}
              title={label(name)}
              className="inline-flex max-w-64 items-center gap-1.5 rounded-lg border border-line bg-card py-1.5 pr-3 pl-2 text-[14px] font-semibold hover:border-edge"
            >
              <GripVertical aria-hidden className="size-3.5 shrink-0 text-soft" />
              <span className="truncate">{name}</span>
              <Plus aria-hidden className="size-3.5 shrink-0 text-soft" />
              <span className="sr-only">: add to the chain</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

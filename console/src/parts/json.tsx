// JSON and commands, readable and copyable; always text, never markup.
import { CopyIcon } from './copy.tsx'

export function Code({ text, label, max = 22 }: { text: string; label: string; max?: number }) {
  return (
    <div className="relative rounded-lg border border-line bg-well">
      <div className="flex items-center justify-between gap-2 border-b border-line py-0.5 ps-3 pe-1">
        <span className="edgeprint">{label}</span>
        <CopyIcon text={text} what={label} />
      </div>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
        tabIndex={0}
        aria-label={label}
        className="overflow-auto px-3 py-2 font-mono text-[12.5px] leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]"
        style={{ maxHeight: `${max}em` }}
      >
        {text}
      </section>
    </div>
  )
}

export const JsonCode = ({ value, label }: { value: unknown; label: string }) => (
  <Code text={JSON.stringify(value, null, 2)} label={label} />
)

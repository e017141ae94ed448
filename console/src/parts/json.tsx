// JSON and commands, readable and copyable; always text, never markup.
import { CopyId } from './copy.tsx'

export function Code({ text, label, max = 22 }: { text: string; label: string; max?: number }) {
  return (
    <div className="relative rounded-lg border border-line bg-well">
      <div className="flex items-center justify-between gap-2 border-b border-line px-3 py-1.5">
        <span className="edgeprint">{label}</span>
        <span className="[&_span.truncate]:sr-only">
          <CopyId id={text} />
        </span>
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

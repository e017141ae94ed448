// How far something is; without a number it only says that it moves.
export function Progress({ value, label }: { value: number | null; label: string }) {
  const known = value !== null
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      {...(known ? { 'aria-valuenow': Math.round(value * 100) } : {})}
      className="h-1.5 overflow-hidden rounded-full bg-run-bg"
    >
      <div
        className={
          known
            ? 'h-full rounded-full bg-run transition-[width] duration-500'
            : 'h-full w-1/3 animate-[breathe_1.2s_ease-in-out_infinite] rounded-full bg-run'
        }
        style={known ? { width: `${Math.max(2, value * 100)}%` } : undefined}
      />
    </div>
  )
}

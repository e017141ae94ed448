// One plot over time: drawn on a canvas by uPlot, resized with its box, coloured by the theme, and told in words too.

import uPlot from 'uplot'
import { locale, wordLocale } from '../words/language.ts'
import { t } from '../words/t.ts'
import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef } from 'react'
import { useTheme } from '../theme.ts'

export interface Series {
  label: string
  /** The name of a theme colour, like `ok`. */
  colour: string
  values: (number | null)[]
  fill?: boolean
}

interface Props {
  title: string
  /** Seconds since 1970. */
  times: number[]
  series: Series[]
  show(value: number): string
}

const HEIGHT = 190

const minutes = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' })
const days = new Intl.DateTimeFormat(wordLocale, { weekday: 'short', day: 'numeric' })
/** Ticks in the viewer's own zone and way of writing; midnight shows the day. */
const moment = (seconds: number): string => {
  const at = new Date(seconds * 1000)
  return at.getHours() === 0 && at.getMinutes() === 0 ? days.format(at) : minutes.format(at)
}

export function Plot({ title, times, series, show }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const theme = useTheme()
  // biome-ignore lint/correctness/useExhaustiveDependencies: `theme` is read through the computed style.
  useEffect(() => {
    const element = box.current
    if (!element) return
    const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()
    const axis = {
      stroke: colour('soft'),
      grid: { stroke: colour('line'), width: 1 },
      ticks: { show: false },
      font: '11px "JetBrains Mono Variable", monospace',
    }
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        cursor: { y: false, drag: { x: false, y: false } },
        legend: { live: true },
        scales: { y: { range: (_plot, _min, max) => [0, Math.max(max * 1.1, 1)] } },
        axes: [
          { ...axis, values: (_plot, ticks) => ticks.map(moment) },
          { ...axis, size: 72, values: (_plot, ticks) => ticks.map(show) },
        ],
        series: [
          { value: (_plot, at) => (at ? new Date(at * 1000).toLocaleString(locale) : '') },
          ...series.map(({ label, colour: name, fill, values }) => ({
            label,
            stroke: colour(name),
            width: 2,
            points: { show: false, size: 6, filter: () => alone(values) },
            spanGaps: false,
            ...(fill ? { fill: `color-mix(in srgb, ${colour(name)} 18%, transparent)` } : {}),
            value: (_plot: uPlot, value: number | null) => (value === null ? '–' : show(value)),
          })),
        ],
      },
      [times, ...series.map(({ values }) => values)],
      element,
    )
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
    // A new theme means new colours, so the plot is drawn anew.
  }, [times, series, show, theme])
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1 font-semibold">{title}</figcaption>
      <div aria-hidden ref={box} className="plot" />
      <p className="sr-only">{inWords(series, show)}</p>
    </figure>
  )
}

/** A value between two gaps makes no line, so it is drawn as a point. */
const alone = (values: (number | null)[]): number[] =>
  values.flatMap((value, at) =>
    value !== null && (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null ? [at] : [],
  )

function inWords(series: Series[], show: (value: number) => string): string {
  return series
    .map(({ label, values }) => {
      const known = values.filter(value => value !== null)
      const last = known.at(-1)
      return last === undefined
        ? t('{label}: nothing yet.', { label })
        : t('{label}: now {value}, at most {most}.', { label, value: show(last), most: show(Math.max(...known)) })
    })
    .join(' ')
}

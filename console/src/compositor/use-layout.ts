// Ties the layout's state to the values of the page: what a command changes is told at once, what changes outside is taken over.
import { useCallback, useEffect, useRef, useState } from 'react'
import type { JsonObject } from '../api/shapes.ts'
import { isObject } from '../form/json-text.ts'
import { changed } from '../form/options-form.tsx'
import { layersOf } from './model/geometry.ts'
import { type Command, type LayoutState, newLayout, reduce } from './model/state.ts'

const canvasOf = (values: JsonObject): JsonObject | undefined => (isObject(values.canvas) ? values.canvas : undefined)

function valuesWith(values: JsonObject, { layout }: LayoutState): JsonObject {
  const layers = layout.items.map(({ layer }) => layer)
  const next =
    layers.length > 0 || values.layers !== undefined ? { ...values, layers } : changed(values, 'layers', undefined)
  return changed(next, 'canvas', layout.canvas)
}

export function useLayout(values: JsonObject, onChange: (values: JsonObject) => void) {
  const [state, setState] = useState(() => newLayout(values.layers, canvasOf(values)))
  const newest = useRef(state)
  const page = useRef({ values, onChange })
  page.current = { values, onChange }
  /** What was told to the page last: only what differs from it came from elsewhere. */
  const told = useRef(JSON.stringify([layersOf(values.layers), canvasOf(values)]))

  const run = useCallback((command: Command) => {
    const before = newest.current
    const next = reduce(before, command)
    if (next === before) return
    newest.current = next
    setState(next)
    if (next.layout === before.layout) return
    const nextValues = valuesWith(page.current.values, next)
    told.current = JSON.stringify([layersOf(nextValues.layers), canvasOf(nextValues)])
    if (command.do !== 'adopt') page.current.onChange(nextValues)
  }, [])

  const given = JSON.stringify([layersOf(values.layers), canvasOf(values)])
  // biome-ignore lint/correctness/useExhaustiveDependencies: `given` says all of what may have changed.
  useEffect(() => {
    if (given !== told.current) run({ do: 'adopt', layers: values.layers, canvas: canvasOf(values) })
  }, [given, run])

  return { state, run, now: useCallback(() => newest.current, []) }
}

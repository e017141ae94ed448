// Cut-outs: single layers as the service draws them, to move around here while the whole picture is not made yet.
import { useEffect, useRef, useState } from 'react'
import { at, requestInTime } from '../api/client.ts'
import type { JsonObject } from '../api/shapes.ts'
import { decoded } from './exact.ts'
import type { Size } from './model/geometry.ts'
import type { Item } from './model/state.ts'

const QUIET_MS = 120
const MOST_KEPT = 120

export interface Cutout {
  url: string
  /** Rows and columns with something in them, for letters: how large they came out. */
  ink: { width: number; height: number } | null
}

/** A layer alone on a clear canvas of its own size: where it lies, its turn and its opacity are added here. */
export function cutoutOptions(layer: JsonObject, { width, height }: Size, more: JsonObject): JsonObject {
  const { name: _name, rotate: _turn, opacity: _opacity, blend: _blend, ...rest } = layer
  return {
    ...more,
    canvas: { width, height, background: '#00000000' },
    layers: [{ ...rest, x: 0, y: 0, width, height, anchor: 'top_left' }],
    format: 'png',
    missing: 'empty',
    background_file_name: '',
    overlay_file_name: '',
  }
}

export interface CutoutWish {
  id: Item['id']
  key: string
  options: JsonObject
  /** The file to draw with; a dot for what shows no photo. */
  file: File | null
}

async function fetchCutout(name: string, wish: CutoutWish, signal: AbortSignal): Promise<Cutout> {
  const form = new FormData()
  form.set('extras', JSON.stringify(wish.options))
  form.set('data', wish.file ?? (await dot()))
  const response = await requestInTime(`${at('configuration', name, 'preview')}?full=true`, {
    method: 'POST',
    body: form,
    signal,
  })
  const blob = await response.blob()
  return { url: await decoded(blob), ink: wish.file ? null : await inkOf(blob) }
}

let made: Promise<File> | null = null
function dot(): Promise<File> {
  made ??= new Promise((done, fail) => {
    const canvas = document.createElement('canvas')
    canvas.width = 1
    canvas.height = 1
    canvas.toBlob(blob => (blob ? done(new File([blob], 'dot.png', { type: 'image/png' })) : fail(new Error('no dot'))))
  })
  return made
}

async function inkOf(blob: Blob): Promise<Cutout['ink']> {
  const picture = await createImageBitmap(blob).catch(() => null)
  if (!picture) return null
  const { width, height } = picture
  const canvas = new OffscreenCanvas(width, height)
  const pen = canvas.getContext('2d', { willReadFrequently: true })
  if (!pen) return null
  pen.drawImage(picture, 0, 0)
  const { data } = pen.getImageData(0, 0, width, height)
  let [left, right, top, bottom] = [width, -1, height, -1]
  for (let y = 0, at = 3; y < height; y++)
    for (let x = 0; x < width; x++, at += 4)
      if ((data[at] ?? 0) > 64) {
        left = Math.min(left, x)
        right = Math.max(right, x)
        top = Math.min(top, y)
        bottom = y
      }
  return right < 0 ? { width: 0, height: 0 } : { width: right - left + 1, height: bottom - top + 1 }
}

export interface Cutouts {
  /** Of this very wish, or null. */
  exactly(wish: CutoutWish): Cutout | null
  /** Of this wish, or of the same layer as it was before. */
  newest(wish: CutoutWish): Cutout | null
}

/** Gets cut-outs one after the other, shortly after the last change. */
export function useCutouts(name: string | undefined, wishes: CutoutWish[]): Cutouts {
  const kept = useRef(new Map<string, Cutout | null>())
  const last = useRef(new Map<number, Cutout>())
  const [, setTurn] = useState(0)
  const open = wishes.filter(wish => !kept.current.has(wish.key))
  const key = open.map(wish => wish.key).join('\n')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says all of the open wishes.
  useEffect(() => {
    if (!name || key === '') return
    const stop = new AbortController()
    const timer = setTimeout(async () => {
      for (const wish of open) {
        if (stop.signal.aborted) return
        const cutout = await fetchCutout(name, wish, stop.signal).catch(() => null)
        if (stop.signal.aborted) return
        // A refused one is not asked for again; what is wrong with it, the exact picture says.
        kept.current.set(wish.key, cutout)
        if (cutout) last.current.set(wish.id, cutout)
        forgetOld(kept.current, last.current)
        setTurn(turn => turn + 1)
      }
    }, QUIET_MS)
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [name, key])
  useEffect(() => {
    const all = kept.current
    return () => {
      for (const cutout of all.values()) if (cutout) URL.revokeObjectURL(cutout.url)
      all.clear()
    }
  }, [])
  const exactly = (wish: CutoutWish) => kept.current.get(wish.key) ?? null
  return { exactly, newest: wish => exactly(wish) ?? last.current.get(wish.id) ?? null }
}

function forgetOld(kept: Map<string, Cutout | null>, last: Map<number, Cutout>): void {
  const inUse = new Set([...last.values()].map(({ url }) => url))
  for (const [key, cutout] of kept) {
    if (kept.size <= MOST_KEPT) return
    if (cutout && inUse.has(cutout.url)) continue
    if (cutout) URL.revokeObjectURL(cutout.url)
    kept.delete(key)
  }
}

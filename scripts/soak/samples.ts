// What a page holds while it is open for long: looked at now and then, told as a table, and held against what it held before.
import type { Page } from '../../test/console/browser.ts'

export interface Sample {
  minute: number
  /** In KiB, after a collection of garbage. */
  heap: number
  nodes: number
  listeners: number
}

/** How much more the last samples may hold than the first ones. */
const MOST_GROWTH = 1.35

/** Looks at what the page holds now. */
export async function newSampler(page: Page): Promise<() => Promise<Sample>> {
  const chrome = await page.context().newCDPSession(page)
  await chrome.send('Performance.enable')
  const began = Date.now()
  return async () => {
    await chrome.send('HeapProfiler.collectGarbage')
    const { metrics } = await chrome.send('Performance.getMetrics')
    const value = (name: string): number => metrics.find(each => each.name === name)?.value ?? 0
    return {
      minute: Math.round((Date.now() - began) / 6_000) / 10,
      heap: Math.round(value('JSHeapUsedSize') / 1024),
      nodes: value('Nodes'),
      listeners: value('JSEventListeners'),
    }
  }
}

const mean = (some: readonly number[]): number => some.reduce((sum, each) => sum + each, 0) / Math.max(1, some.length)

/** The first third against the last; what fills a page at first is left out by the caller. */
export function growth(samples: readonly Sample[]): string[] {
  const third = Math.max(1, Math.floor(samples.length / 3))
  const [first, last] = [samples.slice(0, third), samples.slice(-third)]
  return (['heap', 'nodes', 'listeners'] as const).flatMap(what => {
    const [before, after] = [mean(first.map(each => each[what])), mean(last.map(each => each[what]))]
    return after > before * MOST_GROWTH ? [`${what} grew from ${Math.round(before)} to ${Math.round(after)}`] : []
  })
}

/** Errors of a page. A network that is away is told by the browser itself; that is no mistake of the page. */
export function watchErrors(page: Page, errors: string[]): void {
  page.on('pageerror', error => errors.push(String(error)))
  page.on('console', message => {
    if (message.type() === 'error' && !/net::ERR|Failed to load resource/.test(message.text()))
      errors.push(message.text())
  })
}

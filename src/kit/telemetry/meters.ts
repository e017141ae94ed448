// What the rest of the code counts with. It knows nothing of Prometheus, and costs nothing where nobody reads it.
import type { LabelsOf, MetricOf } from './metric-list.ts'

export interface Meters {
  count<N extends MetricOf<'counter'>>(metric: N, labels: LabelsOf<N>, by?: number): void
  /** Seconds, for a histogram. */
  observe<N extends MetricOf<'histogram'>>(metric: N, labels: LabelsOf<N>, seconds: number): void
  set<N extends MetricOf<'gauge'>>(metric: N, labels: LabelsOf<N>, value: number): void
}

export const noMeters: Meters = { count() {}, observe() {}, set() {} }

/** Meters that can be read. */
export interface ExposedMeters extends Meters {
  readonly contentType: string
  /** `look` sets gauges; it is called before each reading. */
  onRead(look: () => Promise<void> | void): void
  read(): Promise<string>
}

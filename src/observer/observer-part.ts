import type { Registry } from 'prom-client';
import type { Part } from '../process/part.ts';

/** One part of the observer: a watch, the scan, the reports. */
export interface ObserverPart extends Part {
  /** Registers the metrics of this part. To be called once, before the start. */
  registerMetrics?(registers: Registry[]): void;
  /** The details of this part in `/readyz`, by the name of the part. */
  readonly details?: () => Readonly<Record<string, unknown>>;
}

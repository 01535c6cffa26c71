import { Counter, Gauge, type Registry } from 'prom-client';
import { gauge } from '../gauges.ts';

/** Params by state, and when all were last current, in milliseconds since the epoch. */
export interface NativeState {
  readonly params: Readonly<Record<'current' | 'stale' | 'closed', number>>;
  readonly currentAt: number;
}

const WRITES = ['written', 'overwritten', 'deleted', 'failed'] as const;
export type NativeWrites = Counter<'result'>;

/** Registers the metrics of NamespaceProbes. `state`: undefined while this replica does not lead. */
export function registerNativeMetrics(state: () => NativeState | undefined, registers: Registry[]): NativeWrites {
  new Gauge({
    name: 'probewright_native_params',
    help: 'NamespaceProbes on the leading observer, by state: current, stale (not written yet) or closed (policies have no room in the object, or cost too much, so nothing is injected).',
    labelNames: ['state'],
    registers,
    collect() {
      this.reset();
      for (const [name, count] of Object.entries(state()?.params ?? {})) this.set({ state: name }, count);
    },
  });
  const help = 'When all NamespaceProbes were last current, on the leading observer; 0 on others.';
  const current = (): number => (state()?.currentAt ?? 0) / 1000;
  gauge('probewright_native_params_current_timestamp_seconds', help, registers, current);
  const writes = new Counter({
    name: 'probewright_native_param_writes_total',
    help: 'Writes of NamespaceProbes, by result: written, overwritten (somebody else had changed the object), deleted or failed.',
    labelNames: ['result'] as const,
    registers,
  });
  for (const result of WRITES) writes.inc({ result }, 0);
  return writes;
}

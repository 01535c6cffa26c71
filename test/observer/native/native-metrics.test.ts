import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { registerNativeMetrics, type NativeState } from '../../../src/observer/native/native-metrics.ts';

/** The lines of the metrics in each registry, without help and types. */
const shown = async (registers: readonly Registry[]): Promise<string[]> =>
  (await Promise.all(registers.map((registry) => registry.metrics())))
    .flatMap((text) => text.split('\n'))
    .filter((line) => line.startsWith('probewright_'));

const NO_WRITES = ['written', 'overwritten', 'deleted', 'failed'].map(
  (result) => `probewright_native_param_writes_total{result="${result}"} 0`,
);

it('the leader tells its params by state, and when all were current, in seconds', async () => {
  const registers = [new Registry()];
  let state: NativeState = { params: { current: 3, stale: 1, closed: 0 }, currentAt: 1_800_000_000_500 };
  registerNativeMetrics(() => state, registers);
  expect(await shown(registers)).toEqual([
    'probewright_native_params{state="current"} 3',
    'probewright_native_params{state="stale"} 1',
    'probewright_native_params{state="closed"} 0',
    'probewright_native_params_current_timestamp_seconds 1800000000.5',
    ...NO_WRITES,
  ]);
  state = { ...state, params: { current: 4, stale: 0, closed: 0 } };
  expect((await shown(registers)).slice(0, 2)).toEqual([
    'probewright_native_params{state="current"} 4',
    'probewright_native_params{state="stale"} 0',
  ]);
});

it('a replica that does not lead tells of no param, and keeps no number from before', async () => {
  const registers = [new Registry()];
  let state: NativeState | undefined = { params: { current: 3, stale: 0, closed: 0 }, currentAt: 1000 };
  registerNativeMetrics(() => state, registers);
  expect(await shown(registers)).toHaveLength(8);
  state = undefined;
  expect(await shown(registers)).toEqual(['probewright_native_params_current_timestamp_seconds 0', ...NO_WRITES]);
});

it('writes are counted by result', async () => {
  const registers = [new Registry()];
  const writes = registerNativeMetrics(() => undefined, registers);
  writes.inc({ result: 'overwritten' });
  writes.inc({ result: 'failed' }, 2);
  const counts = (await shown(registers)).filter((line) => line.includes('writes_total')).map((line) => line.slice(-1));
  expect(counts).toEqual(['0', '1', '0', '2']);
});

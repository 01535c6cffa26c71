import { Registry } from 'prom-client';
import { beforeEach, describe, expect, it } from 'vitest';
import { NamespaceShares } from '../../../src/observer/namespace-shares.ts';
import { registerScanMetrics, ScanStatus } from '../../../src/observer/scan/scan-status.ts';
import type { WorkloadRecord, WorkloadRecords } from '../../../src/observer/scan/verdicts.ts';

let status: ScanStatus;
let records: WorkloadRecords | undefined;
let registry: Registry;
beforeEach(() => {
  [status, records, registry] = [new ScanStatus(), undefined, new Registry()];
  registerScanMetrics(status, () => records, [registry]);
});
const shown = async (): Promise<string[]> =>
  (await registry.metrics())
    .split('\n')
    .filter((line) => line.startsWith('probewright_'))
    .map((line) => line.replace('probewright_', ''));

describe('the state of scans', () => {
  it('is nothing before the first scan', () => {
    expect(Object.fromEntries(Object.entries(status))).toEqual({
      runs: 0,
      isRunning: false,
      lastStart: undefined,
      lastEnd: undefined,
      lastDuration: undefined,
    });
  });

  it('has the last scan, with its duration from its own start', () => {
    status.begin(1_000);
    expect(status).toMatchObject({ runs: 1, isRunning: true, lastStart: 1_000, lastEnd: undefined });
    status.end({ now: 1_000 }, 3_500);
    expect(status).toMatchObject({ runs: 1, isRunning: false, lastEnd: 3_500, lastDuration: 2_500 });
    status.begin(9_000);
    expect(status).toMatchObject({ runs: 2, isRunning: true, lastStart: 9_000, lastEnd: 3_500, lastDuration: 2_500 });
  });
});

describe('the metrics of scans', () => {
  it('are zero while nothing was scanned and this replica does not lead', async () => {
    expect(await shown()).toEqual([
      'scan_last_start_timestamp_seconds 0',
      'scan_last_end_timestamp_seconds 0',
      'scan_duration_seconds 0',
      'scans_total 0',
      'scan_workloads 0',
    ]);
  });

  it('are in seconds, and count scans once however often they are read', async () => {
    status.begin(1_000_000);
    status.end({ now: 1_000_000 }, 1_002_500);
    status.begin(2_000_000);
    await shown();
    expect(await shown()).toEqual([
      'scan_last_start_timestamp_seconds 2000',
      'scan_last_end_timestamp_seconds 1002.5',
      'scan_duration_seconds 2.5',
      'scans_total 2',
      'scan_workloads 0',
    ]);
  });

  it('count workloads, and violations by check and action', async () => {
    const record = (...findings: WorkloadRecord['findings']): WorkloadRecord =>
      ({ workload: {}, findings }) as unknown as WorkloadRecord;
    records = new NamespaceShares(Infinity);
    records.set('shop', 'a', record({ rule: 'named-port', action: 'Deny' }, { rule: 'exec-cost', action: 'Warn' }));
    records.set('blog', 'b', record({ rule: 'named-port', action: 'Deny' }));
    records.set('blog', 'c', record());
    records.set('blog', 'd', record({ rule: 'named-port', action: 'Deny', stored: 'without-verdict' }));
    expect((await shown()).slice(-4)).toEqual([
      'scan_workloads 4',
      'scan_violations{rule="named-port",action="Deny"} 2',
      'scan_violations{rule="exec-cost",action="Warn"} 1',
      'scan_violations{rule="named-port",action="Deny",stored="without-verdict"} 1',
    ]);
    records.delete('shop', 'a');
    records.delete('blog', 'd');
    expect((await shown()).slice(-2)).toEqual([
      'scan_workloads 2',
      'scan_violations{rule="named-port",action="Deny"} 1',
    ]);
  });
});

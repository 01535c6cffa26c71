import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { readable, report } from './figures.ts';
import { ObservedFleet } from './observed-fleet.ts';
import type { Fault, SeenRequest } from '../cluster/client/fake-api-server.ts';

/** What happens to an API server for a while. */
interface Trouble {
  readonly name: string;
  readonly begin: (fleet: ObservedFleet) => Promise<void> | void;
  /** What ends the fault beside answering requests again. */
  readonly end?: (fleet: ObservedFleet) => Promise<void>;
  /** Lists of one collection, from the begin of the fault until the reports are right again. */
  readonly mostLists: number;
}

const status = (code: number, reason: string, headers: Readonly<Record<string, string>> = {}): Fault => ({
  status: code,
  headers,
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: `${reason} by the test` },
});
const isWatch = ({ query }: SeenRequest): boolean => query['watch'] === 'true';
const isLease = ({ path }: SeenRequest): boolean => path.includes('/leases');

/** How long a fault lasts. */
const FAULT_MILLISECONDS = 2500;

const TROUBLES: readonly Trouble[] = [
  {
    name: 'the API server is away',
    begin: (fleet) => fleet.api.pause(),
    end: (fleet) => fleet.api.resume(),
    mostLists: 2,
  },
  {
    name: 'each watch and each later page is 410 Gone',
    begin: (fleet) => {
      fleet.api.compact();
      fleet.api.disturbWatches('gone');
      const gone = status(410, 'Expired');
      fleet.fault((request) => (isWatch(request) || request.query['continue'] !== undefined ? gone : undefined));
    },
    mostLists: 8,
  },
  {
    name: 'each request is refused with 429 and Retry-After',
    begin: (fleet) => {
      const busy = status(429, 'TooManyRequests', { 'retry-after': '1' });
      fleet.api.disturbWatches('end');
      fleet.fault((request) => (isLease(request) ? undefined : busy));
    },
    mostLists: 8,
  },
  {
    name: 'each page takes a second, after 410 Gone',
    begin: (fleet) => {
      fleet.fault((request) => (isWatch(request) || isLease(request) ? undefined : { delay: 1000 }));
      fleet.api.disturbWatches('gone');
    },
    mostLists: 3,
  },
  {
    name: 'the rights to read workloads and to write reports are revoked',
    begin: (fleet) => {
      fleet.api.disturbWatches('end');
      const forbidden = status(403, 'Forbidden');
      fleet.fault(({ path, method }) =>
        path.includes('/deployments') || (path.includes('/reports') && method !== 'GET') ? forbidden : undefined,
      );
    },
    mostLists: 8,
  },
  {
    name: 'the token has expired: each request is refused with 401',
    begin: (fleet) => {
      fleet.api.disturbWatches('cut');
      fleet.fault(() => status(401, 'Unauthorized'));
    },
    mostLists: 8,
  },
  {
    name: 'the API server is broken: each request is answered with 500, each watch ends in garbage',
    begin: (fleet) => {
      fleet.api.disturbWatches('half-line');
      fleet.fault((request) => (isLease(request) ? undefined : { status: 500, body: 'broken' }));
    },
    mostLists: 8,
  },
];

describe('the observer as a process of its own', () => {
  /** Both see the same changes at the same time; the first one has the faults. */
  let fleet: ObservedFleet;
  let quiet: ObservedFleet;

  beforeAll(async () => {
    const program = join(inject('builtProgram'), 'probewright.js');
    [fleet, quiet] = await Promise.all([
      ObservedFleet.start(program, TROUBLES.length),
      ObservedFleet.start(program, TROUBLES.length),
    ]);
    await untilSame(3 * TROUBLES.length);
  });
  afterAll(() => Promise.all([fleet.stop(), quiet.stop()]));

  let mostWatches = 0;
  /** Resolves once both have so many reports, with the same content, and as many watches are open. */
  async function untilSame(reports: number): Promise<void> {
    const end = performance.now() + 30_000;
    for (;;) {
      const [mine, other] = [fleet.reports(), quiet.reports()];
      const isSettled = Object.keys(other).length === reports && JSON.stringify(mine) === JSON.stringify(other);
      mostWatches = Math.max(mostWatches, quiet.api.openWatches());
      if (isSettled && fleet.api.openWatches() >= mostWatches) return;
      if (performance.now() > end) {
        expect(mine, fleet.output().slice(-3000)).toStrictEqual(other);
        throw new Error(`${fleet.api.openWatches()} of ${mostWatches} watches are open`);
      }
      await sleep(50);
    }
  }

  it.each(TROUBLES.map((trouble, step) => [trouble.name, step, trouble] as const))(
    'writes what it writes without a fault, and lists in no loop, when %s',
    async (name, step, { begin, end, mostLists }) => {
      const before = [fleet.api.requests.length, quiet.api.requests.length] as const;
      await begin(fleet);
      for (const one of [fleet, quiet]) one.change(step);
      await sleep(FAULT_MILLISECONDS);
      fleet.fault(undefined);
      await end?.(fleet);
      const from = performance.now();
      // `mended` and `deleted` lose their reports, `wrong` gets one.
      await untilSame(3 * TROUBLES.length - step - 1);
      const recovered = performance.now() - from;
      expect(await fleet.isReady()).toBe(true);
      const [writes, expected] = [fleet.writesSince(before[0]), quiet.writesSince(before[1])];
      expect(writes).toStrictEqual(expected);
      const lists = fleet.listsSince(before[0]);
      const most = Math.max(0, ...Object.values(lists));
      expect(most, JSON.stringify(lists)).toBeLessThanOrEqual(mostLists);
      report('Faults', `observer: ${name}`, `right ${readable(recovered)} after it, at most ${most} lists of a kind`);
    },
  );

  it('lists and writes nothing when nothing happens afterwards', async () => {
    const settled = fleet.api.requests.length;
    // After the last change of a policy, the Pods are listed once more, when the pause between two such lists ends.
    const end = performance.now() + 30_000;
    let before: number;
    do {
      before = fleet.api.requests.length;
      await sleep(3000);
    } while (Object.keys(fleet.listsSince(before)).length > 0 && performance.now() < end);
    expect(fleet.listsSince(before)).toStrictEqual({});
    expect(Math.max(0, ...Object.values(fleet.listsSince(settled)))).toBeLessThanOrEqual(1);
    expect(fleet.writesSince(settled)).toStrictEqual([]);
    expect(fleet.logged(50)).toStrictEqual([]);
    expect(fleet.reports()).toStrictEqual(quiet.reports());
  });
});

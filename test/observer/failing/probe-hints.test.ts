import { describe, expect, it } from 'vitest';
import { ProbeHints } from '../../../src/observer/failing/probe-hints.ts';
import type { ProbeHint } from '../../../src/observer/failing/probe-events.ts';

const HOUR = 3_600_000;
const hint = (more: Partial<ProbeHint> = {}): ProbeHint => ({
  namespace: 'shop',
  podUid: 'p',
  container: 'app',
  probe: 'livenessProbe',
  cause: 'killed',
  isVoid: false,
  times: [1],
  ...more,
});

/** The hints of a Pod after these events at the instant 0. */
function hintsAfter(...events: readonly Partial<ProbeHint>[]): readonly ProbeHint[] {
  const hints = new ProbeHints();
  for (const event of events) hints.add(hint(event), 0);
  return hints.of('shop', 'p');
}

describe('the hints of a Pod', () => {
  it('are one for each container, probe, cause and fate of the result', () => {
    const different: Partial<ProbeHint>[] = [{ container: 'b' }, { probe: undefined }, { cause: 'connection-lost' }];
    expect(hintsAfter({}, ...different, { isVoid: true }, {})).toHaveLength(5);
  });

  it('are those of its own namespace', () => {
    const hints = new ProbeHints();
    hints.add(hint({ namespace: 'tenant' }), 0);
    expect([hints.of('shop', 'p'), hints.of('tenant', 'q'), hints.of('tenant', 'p').length]).toEqual([[], [], 1]);
  });

  it('have the last twelve times, each once and in their order', () => {
    const times = (...events: readonly number[][]): unknown =>
      hintsAfter(...events.map((each) => ({ times: each })))[0]?.times;
    expect(times([30, 10], [20, 10])).toEqual([10, 20, 30]);
    expect(times([1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12])).toHaveLength(12);
    expect(times([1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13])).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
  });

  it('have what each of the last twelve events told', () => {
    const told = (...pairs: readonly [string, number][]): ReadonlyMap<string, number> => new Map(pairs);
    const [latest] = hintsAfter({ told: told(['a', 1]) }, {}, { told: told(['a', 3], ['b', 1]) });
    expect([...(latest?.told ?? [])]).toEqual([
      ['a', 3],
      ['b', 1],
    ]);
    const events = Array.from({ length: 13 }, (_, index): Partial<ProbeHint> => ({ told: told([`e${index}`, 1]) }));
    expect([...(hintsAfter(...events)[0]?.told?.keys() ?? [])]).toEqual(
      events.slice(1).flatMap((each) => [...(each.told?.keys() ?? [])]),
    );
  });

  it('have what the latest event says beside its times', () =>
    expect(hintsAfter({ status: 500 }, { status: 503, times: [2] })).toMatchObject([
      hint({ status: 503, times: [1, 2], told: new Map() }),
    ]));

  it('are at most 32, and those that are known go on', () => {
    const others = Array.from({ length: 40 }, (_, index): Partial<ProbeHint> => ({ container: `c${index}` }));
    const kept = hintsAfter(...others, { container: 'c31', times: [9] }, { container: 'c32', times: [9] });
    expect(kept.map(({ container }) => container)).toEqual(others.slice(0, 32).map(({ container }) => container));
    expect(kept.at(-1)?.times).toEqual([1, 9]);
  });
});

describe('hints', () => {
  it('are of at most 10,000 Pods, of which the one whose last hint is the oldest goes first', () => {
    const hints = new ProbeHints();
    for (let index = 0; index < 10_000; index += 1) hints.add(hint({ podUid: `p${index}` }), 0);
    hints.add(hint({ podUid: 'p0' }), 1);
    expect(hints.size).toBe(10_000);
    hints.add(hint({ podUid: 'new' }), 2);
    expect(hints.size).toBe(10_000);
    expect(['p0', 'p1', 'p2', 'new'].map((pod) => hints.of('shop', pod).length)).toEqual([1, 0, 1, 1]);
  });

  it('are forgotten an hour after they came, or with their Pod', () => {
    const hints = new ProbeHints();
    hints.add(hint(), 0);
    hints.add(hint({ container: 'late' }), 1);
    hints.forgetOld(HOUR);
    expect(hints.of('shop', 'p')).toHaveLength(2);
    hints.forgetOld(HOUR + 1);
    expect(hints.of('shop', 'p').map(({ container }) => container)).toEqual(['late']);
    hints.forgetOld(HOUR + 2);
    expect(hints.size).toBe(0);
    hints.add(hint(), 0);
    hints.forget('shop', 'p');
    expect([hints.size, hints.of('shop', 'p')]).toEqual([0, []]);
  });
});

import { describe, expect, it } from 'vitest';
import { containerFigures, figureOf, type Figure, type FigureId } from '../../../src/explain/timeline/figures.ts';
import { probeTiming, type ProbeTiming, type Span } from '../../../src/engine/time/timing.ts';
import type { ContainerTimings } from '../../../src/explain/timeline/container-timings.ts';
import type { Kill } from '../../../src/engine/time/kill.ts';

/** A timing by its letters: D, P, T, F, S, with the API server's defaults. */
function timing(letters: { D?: number; P?: number; T?: number; F?: number; S?: number } = {}): ProbeTiming {
  return probeTiming({
    initialDelaySeconds: letters.D,
    periodSeconds: letters.P,
    timeoutSeconds: letters.T,
    failureThreshold: letters.F,
    successThreshold: letters.S,
  });
}

const within = (graceSeconds: number, hasPreStop = false): Kill => ({ graceSeconds, hasPreStop });

type Timings = Partial<Record<keyof ContainerTimings, ProbeTiming & { readonly kill?: Kill }>>;
const container = (timings: Timings): Figure[] => {
  const kills = Object.entries(timings).map(([kind, one]) => [kind, { kill: within(30), ...one }] as const);
  return containerFigures(Object.fromEntries(kills), true);
};

const spanOf = (figures: readonly Figure[], id: FigureId): Span | undefined => figureOf(figures, id)?.span;

describe('what was measured with the real kubelet worker lies within the figures', () =>
  it.each<[string, FigureId, Timings, Span]>([
    ['refused, P2 T1 F3', 'never-healthy-stop', { livenessProbe: timing({ P: 2, F: 3 }) }, span(4.03, 5.97)],
    ['the same with D3', 'never-healthy-stop', { livenessProbe: timing({ D: 3, P: 2, F: 3 }) }, span(6.35, 8.32)],
    ['the same as a startup probe', 'never-healthy-stop', { startupProbe: timing({ P: 2, F: 3 }) }, span(4.03, 5.97)],
    ['hanging, P2 T1 F3', 'never-healthy-stop', { livenessProbe: timing({ P: 2, T: 1, F: 3 }) }, span(5.02, 7)],
    ['hanging, P1 T3 F3', 'never-healthy-stop', { livenessProbe: timing({ P: 1, T: 3, F: 3 }) }, span(9.02, 10)],
    ['deadlock, P2 F3', 'deadlock-stop', { livenessProbe: timing({ P: 2, F: 3 }) }, span(4.03, 6)],
    ['NotReady, P2 F2', 'not-ready', { readinessProbe: timing({ P: 2, F: 2 }) }, span(2.01, 3.94)],
    ['first probe, D3 P2', 'first-probe', { livenessProbe: timing({ D: 3, P: 2 }) }, span(2.35, 2.35)],
  ])('%s', (_name, id, timings, measured) => {
    const figure = spanOf(container(timings), id);
    expect(figure?.earliest).toBeLessThanOrEqual(measured.earliest);
    expect(figure?.latest).toBeGreaterThanOrEqual(measured.latest);
  }));

function span(earliest: number, latest: number): Span {
  return { earliest, latest };
}

describe('the worked examples', () => {
  it('the defaults: killed 20 to 31 s after the start, dead by 61 s; out of service after 20 to 31 s', () => {
    const figures = container({ livenessProbe: timing(), readinessProbe: timing() });
    expect(spanOf(figures, 'never-healthy-stop')).toEqual(span(20, 31));
    expect(spanOf(figures, 'never-healthy-dead')).toEqual(span(20, 61));
    expect(spanOf(figures, 'deadlock-dead')).toEqual(span(20, 61));
    expect(spanOf(figures, 'not-ready')).toEqual(span(20, 31));
  });

  it('failureThreshold 30 with periodSeconds 10 promises 290 s, and lets pass up to 301 s', () =>
    expect(spanOf(container({ startupProbe: timing({ F: 30 }) }), 'time-to-start')).toEqual(span(290, 301)));

  it('a startup probe takes the decision on the start away from liveness', () => {
    const figures = container({ startupProbe: timing({ P: 2, F: 15 }), livenessProbe: timing({ D: 600 }) });
    expect(figures.filter(({ id }) => id === 'time-to-start').map(({ probe }) => probe)).toEqual(['startupProbe']);
    expect(figures.filter(({ id }) => id === 'first-probe').map(({ probe }) => probe)).toEqual(['startupProbe']);
    // What is left of the delay after the earliest success still holds.
    expect(spanOf(figures, 'first-probe-after-startup')).toEqual(span(0, 610));
  });

  it('a container that is healthy at once is Ready after its startup probe and its own successes', () => {
    const readinessProbe = timing({ P: 5, S: 3 });
    expect(spanOf(container({ readinessProbe }), 'ready-after-start')).toEqual(span(0, 16));
    const startupProbe = timing({ D: 5, P: 2, T: 4 });
    expect(spanOf(container({ startupProbe, readinessProbe }), 'ready-after-start')).toEqual(span(4, 27));
    expect(spanOf(container({ startupProbe }), 'started')).toEqual(span(4, 11));
  });

  it('no successThreshold guarantees a time until Ready: status syncs trigger readiness probes at once', () => {
    const figures = container({ readinessProbe: timing({ P: 10, S: 3 }) });
    expect(spanOf(figures, 'ready-after-start')).toEqual(span(0, 31));
    expect(spanOf(figures, 'ready-again')).toEqual(span(0, 31));
  });

  it('without probes there is nothing to tell', () => expect(container({})).toEqual([]));
});

describe('the end of a killed container', () =>
  it('is timed by the grace period of the probe that kills', () => {
    const probes = {
      startupProbe: { ...timing(), kill: within(5) },
      livenessProbe: { ...timing(), kill: within(100) },
    };
    const figures = container(probes);
    expect(spanOf(figures, 'never-healthy-dead')).toEqual(span(20, 36));
    expect(spanOf(figures, 'deadlock-dead')).toEqual(span(20, 131));
  }));

/** Works a formula out by its letters: products, sums, differences and max, nothing else. */
function evaluate(formula: string, inputs: Readonly<Record<string, number>>): number {
  const numbers = formula.replace(/\b[A-Z]s?\b/g, (letter) => String(inputs[letter] ?? `unknown(${letter})`));
  if (!/^(?:max\(|[\d\s+*(),-])+$/.test(numbers)) throw new Error(`no formula: ${numbers}`);
  // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call -- checked above
  return new Function('max', `return ${numbers}`)(Math.max) as number;
}

describe('every formula that is shown', () => {
  const probes: ProbeTiming[] = [
    timing(),
    timing({ D: 3, P: 2, T: 7, F: 4, S: 3 }),
    timing({ D: 1, P: 30, T: 2, F: 1 }),
    timing({ D: 900, P: 1, T: 1, F: 2, S: 2 }),
  ];
  const cases = probes.flatMap((startupProbe) =>
    probes.flatMap((other) => [
      container({ startupProbe, livenessProbe: { ...other, kill: within(1) }, readinessProbe: other }),
      container({ livenessProbe: { ...startupProbe, kill: within(9, true) }, readinessProbe: other }),
    ]),
  );

  it('comes to the figure that stands beside it, with the inputs that stand there', () => {
    for (const { formula, inputs, span: expected } of cases.flat()) {
      expect(evaluate(formula.earliest, inputs), formula.earliest).toBe(expected.earliest);
      expect(evaluate(formula.latest, inputs), formula.latest).toBe(expected.latest);
    }
  });

  it('stays finite and in order with numbers that no API server accepts', () => {
    const huge = { ...timing({ D: 1e300, P: 1e300, T: 1e300, F: 1e300, S: 1e300 }), kill: within(1e300) };
    for (const figure of container({ startupProbe: huge, livenessProbe: huge, readinessProbe: huge })) {
      expect(Number.isFinite(figure.span.latest)).toBe(true);
      expect(figure.span.earliest).toBeLessThanOrEqual(figure.span.latest);
    }
  });
});

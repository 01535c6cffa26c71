import { describe, expect, it } from 'vitest';
import {
  endOfTraffic,
  hangScene,
  isNeverReady,
  measuredCaption,
  rangeOfStarts,
  startScene,
  type Lane,
  type Scene,
} from '../../../src/explain/timeline/scene.ts';
import { facts, probe } from './container-facts.ts';

/** `safe 0 to 20 guaranteed | unsure 20 to 31 ...`. */
function drawn({ segments }: Lane): string {
  return segments.map(({ tone, from, to, label }) => `${tone} ${from} to ${to} ${label}`).join(' | ');
}
const lanesOf = (scene: Scene): string[] => scene.lanes.map(drawn);
const captionsOf = (scene: Scene): string[] =>
  scene.lanes.flatMap(({ segments }) => segments.map(({ caption }) => caption));

const ALL = { startupProbe: probe({ failureThreshold: 6 }), livenessProbe: probe(), readinessProbe: probe() };

describe('the first start', () => {
  it('has what the startup probe guarantees, and traffic once readiness has succeeded', () => {
    const scene = startScene(facts(ALL));
    expect(lanesOf(scene)).toMatchInlineSnapshot(`
      [
        "safe 0 to 50 guaranteed | unsure 50 to 61 may pass or be killed | stopping 61 to 91 being stopped | dead 91 to Infinity dead",
        "maybe 0 to 22 soon | serving 22 to Infinity gets traffic",
      ]
    `);
    expect(captionsOf(scene)).toMatchInlineSnapshot(`
      [
        "Guaranteed time to start: no probe kills the container yet.",
        "May pass or be killed. The moments of the probes and their lengths decide.",
        "SIGTERM has been sent. The container has 30 s at most to exit.",
        "The container is dead and the kubelet starts it again.",
        "Gets traffic as soon as the readiness probe has succeeded.",
        "Ready and gets traffic, if the container was healthy from the start.",
      ]
    `);
    expect(scene.lanes.map(({ stopSign }) => stopSign)).toEqual(['SIGTERM', undefined]);
    expect(scene).not.toHaveProperty('starts');
    expect(scene.end).toMatchInlineSnapshot(`98.28`);
  });

  it('has no guaranteed time where the first failure kills', () => {
    const scene = startScene(facts({ livenessProbe: probe({ failureThreshold: 1 }) }));
    expect(lanesOf(scene)).toMatchInlineSnapshot(`
      [
        "unsure 0 to 11 may pass or be killed | stopping 11 to 41 being stopped | dead 41 to Infinity dead",
        "serving 0 to Infinity gets traffic",
      ]
    `);
  });

  it('has no limit without a probe that kills, and traffic from the first second without readiness', () => {
    const scene = startScene(facts({}));
    expect(lanesOf(scene)).toMatchInlineSnapshot(`
      [
        "idle 0 to Infinity no limit",
        "serving 0 to Infinity gets traffic",
      ]
    `);
    expect(captionsOf(scene)).toMatchInlineSnapshot(`
      [
        "The container may take any time to start: without startup and liveness probe, no probe kills it.",
        "Gets traffic, even if it cannot serve it: the container has no readiness probe.",
      ]
    `);
    expect(scene.end).toBe(10);
  });

  it('of a container whose probes never have a result is told so', () => {
    const mute = startScene(facts({}, { mute: ['startupProbe'], hasLiveness: true }));
    expect(lanesOf(mute)).toMatchInlineSnapshot(`
      [
        "unnoticed 0 to Infinity never counts as started",
        "idle 0 to Infinity never Ready: no traffic",
      ]
    `);
    expect(captionsOf(mute)).toMatchInlineSnapshot(`
      [
        "Never counts as started: the startup probe never has a result. No probe kills the container.",
        "Never Ready: the probe that decides on traffic never has a result.",
      ]
    `);
    expect(captionsOf(startScene(facts({}, { mute: ['livenessProbe'], hasLiveness: true })))[0]).toContain(
      'the liveness probe never has a result',
    );
  });

  it('is not known where a probe cannot work', () => {
    const unknown = new Map([
      ['starts', 'its startupProbe cannot work (probe-host)'],
      ['traffic', 'its readinessProbe cannot work (named-port)'],
    ] as const);
    const scene = startScene(facts({}, { unknown }));
    expect(lanesOf(scene)).toMatchInlineSnapshot(`
      [
        "unsure 0 to Infinity not known",
        "maybe 0 to Infinity not known",
      ]
    `);
    expect(captionsOf(scene)).toMatchInlineSnapshot(`
      [
        "Not known: its startupProbe cannot work (probe-host).",
        "Not known: its readinessProbe cannot work (named-port).",
      ]
    `);
  });

  it('has an axis that reaches measured starts, but is at most four times as long for them', () => {
    const plain = startScene(facts(ALL)).end;
    const measured = (...seconds: number[]): Scene => startScene(facts(ALL, { measured: seconds }));
    expect(measured(1, 2)).toMatchObject({ end: plain, starts: [1, 2] });
    expect(measured(200, 3).end).toBeCloseTo(210);
    expect(measured(9000).end).toBe(4 * plain);
  });

  it('ends without a restart where nothing starts the container again, and begins to stop with preStop', () => {
    const livenessProbe = probe({}, { graceSeconds: 5, hasPreStop: true });
    const scene = startScene(facts({ livenessProbe }, { restarts: false }));
    expect(scene.lanes[0]?.stopSign).toBe('preStop');
    expect(captionsOf(scene).slice(2, 4)).toMatchInlineSnapshot(`
      [
        "The preStop hook runs, then SIGTERM is sent. The container has 7 s at most to exit.",
        "The container is dead and is not started again.",
      ]
    `);
  });
});

describe('a fault later', () => {
  it('has the verdicts of liveness and readiness', () => {
    const scene = hangScene(facts(ALL));
    expect(lanesOf(scene)).toMatchInlineSnapshot(`
      [
        "unnoticed 0 to 20 not noticed yet | unsure 20 to 31 may be killed | stopping 31 to 61 being stopped | dead 61 to Infinity dead",
        "serving 0 to 20 still gets traffic | maybe 20 to 31 being taken out | idle 31 to Infinity no traffic",
      ]
    `);
    expect(captionsOf(scene)).toMatchInlineSnapshot(`
      [
        "Not noticed yet: too few liveness probes have failed in a row.",
        "May be killed at any moment. A container that recovers in time keeps running.",
        "SIGTERM has been sent. The container has 30 s at most to exit.",
        "The container is dead and the kubelet starts it again.",
        "Still gets traffic that it cannot serve.",
        "The readiness probe ends the traffic in this time.",
        "No new traffic.",
      ]
    `);
  });

  it('goes on for ever without liveness, and traffic ends by readiness alone', () => {
    const scene = hangScene(facts({ readinessProbe: probe() }));
    expect(lanesOf(scene)).toMatchInlineSnapshot(`
      [
        "unnoticed 0 to Infinity stays as it is",
        "serving 0 to 20 still gets traffic | maybe 20 to 31 being taken out | idle 31 to Infinity no traffic",
      ]
    `);
    expect(captionsOf(scene)).toMatchInlineSnapshot(`
      [
        "Stays as it is: without a liveness probe, no probe restarts the container.",
        "Still gets traffic that it cannot serve.",
        "The readiness probe ends the traffic in this time.",
        "No new traffic.",
      ]
    `);
  });

  it('ends the traffic by the kill alone without readiness, and by whichever is first otherwise', () => {
    expect(lanesOf(hangScene(facts({ livenessProbe: probe() })))).toMatchInlineSnapshot(`
      [
        "unnoticed 0 to 20 not noticed yet | unsure 20 to 31 may be killed | stopping 31 to 61 being stopped | dead 61 to Infinity dead",
        "serving 0 to 20 still gets traffic | maybe 20 to 61 until it is dead | idle 61 to Infinity no traffic",
      ]
    `);
    const slow = facts({ livenessProbe: probe(), readinessProbe: probe({ failureThreshold: 30 }) });
    expect(captionsOf(hangScene(slow))).toContain('The readiness probe or the kill ends the traffic in this time.');
    expect(endOfTraffic(slow.figures)).toEqual({ earliest: 20, latest: 61 });
  });

  it('gets no traffic where the container was never Ready, and is not known where a probe cannot work', () => {
    expect(isNeverReady(facts({}, { mute: ['readinessProbe'] }))).toBe(true);
    expect(isNeverReady(facts({}, { mute: ['livenessProbe'] }))).toBe(false);
    const never = hangScene(facts({}, { mute: ['startupProbe'], hasLiveness: true }));
    expect(captionsOf(never)).toMatchInlineSnapshot(`
      [
        "Stays as it is: the liveness probe never runs, because the startup probe never succeeds.",
        "No traffic: the container was never Ready.",
      ]
    `);
    const unknown = new Map([
      ['hangs', 'its livenessProbe hides failures'],
      ['traffic', 'its readinessProbe hides failures'],
    ] as const);
    expect(lanesOf(hangScene(facts({}, { unknown })))).toMatchInlineSnapshot(`
      [
        "unsure 0 to Infinity not known",
        "maybe 0 to Infinity not known",
      ]
    `);
  });

  it('shows the beginning of a long grace period only', () => {
    const end = (graceSeconds: number): number =>
      hangScene(facts({ livenessProbe: probe({}, { graceSeconds, hasPreStop: false }) })).end;
    expect([10, 31, 32, 3600].map(end)).toMatchInlineSnapshot(`
      [
        44.28,
        66.96000000000001,
        41.85,
        41.85,
      ]
    `);
  });
});

describe('measured starts in words', () => {
  it('are a range, or one number', () => {
    expect(rangeOfStarts([41, 22])).toBe('22 to 41 s');
    expect(rangeOfStarts([41, 41])).toBe('41 s');
    expect(measuredCaption([41])).toBe('One measured start: 41 s.');
    expect(measuredCaption([22, 41])).toBe('2 measured starts: 22 to 41 s.');
  });
});

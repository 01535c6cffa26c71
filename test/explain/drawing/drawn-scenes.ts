import type { Lane, Scene, Segment, Tone } from '../../../src/explain/timeline/scene.ts';

/** `safe 20 guaranteed`: a stretch from the end of the one before until a second, or for ever. */
export function drawnLane(title: string, ...stretches: readonly (readonly [Tone, number, string])[]): Lane {
  let from = 0;
  const segments = stretches.map(([tone, to, label]): Segment => {
    const segment = { tone, from, to, label, caption: `Caption of ${label}.` };
    from = to;
    return segment;
  });
  return { title, segments };
}

/** A kill at 31 s, 20 s of which are guaranteed. The container is dead by 61 s, or later. */
export function killed(dead = 61): Lane {
  return drawnLane(
    'Never healthy',
    ['safe', 20, 'guaranteed'],
    ['unsure', 31, 'may be killed'],
    ['stopping', dead, 'being stopped'],
    ['dead', Infinity, 'dead'],
  );
}

export function drawnScene(lanes: readonly Lane[], others: Partial<Scene> = {}): Scene {
  return { title: 'First start', origin: 'second 0 = it starts', end: 66, lanes, ...others };
}

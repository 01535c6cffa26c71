import { describe, expect, it } from 'vitest';
import { injectionAt, type Injection } from '../../../src/engine/defaulting/injection.ts';

describe('the injection at a place', () => {
  const into = (list: string, index: number, kind: string): Injection =>
    ({ container: { name: 'app', list, index }, kind }) as Injection;
  const injections = [
    into('containers', 0, 'livenessProbe'),
    into('initContainers', 1, 'startupProbe'),
    into('containers', 1, 'startupProbe'),
    into('containers', 1, 'livenessProbe'),
  ];

  it('is that of the list, the index and the probe, as names may repeat', () => {
    expect(injectionAt(injections, { list: 'containers', index: 1 }, 'livenessProbe')).toBe(injections[3]);
    expect(injectionAt(injections, { list: 'containers', index: 1 }, 'startupProbe')).toBe(injections[2]);
    expect(injectionAt(injections, { list: 'initContainers', index: 1 }, 'startupProbe')).toBe(injections[1]);
  });

  it.each([
    ['containers', 2, 'livenessProbe'],
    ['containers', 0, 'startupProbe'],
    ['initContainers', 0, 'livenessProbe'],
  ] as const)('is none for %s[%i].%s', (list, index, kind) =>
    expect(injectionAt(injections, { list, index }, kind)).toBeUndefined(),
  );
});

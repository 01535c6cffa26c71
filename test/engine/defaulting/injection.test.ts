import { describe, expect, it } from 'vitest';
import {
  formatNotInjected,
  injectionAt,
  REASON_CODES,
  withoutHandler,
  type Injection,
} from '../../../src/engine/defaulting/injection.ts';

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

describe('why a probe was not injected', () => {
  const detail = 'declares no TCP port';

  it('is that no policy has a handler, or that the highest removes it', () => {
    expect(withoutHandler(undefined)).toEqual({
      code: 'no-endpoint',
      detail: 'no policy names an endpoint or another handler',
    });
    expect(withoutHandler('ProbePolicy/apps/a')).toEqual({
      code: 'removed-by-policy',
      detail: 'ProbePolicy/apps/a removes it',
    });
  });

  it.each([
    [{ container: 'app', probe: 'livenessProbe' }, 'container "app", livenessProbe: declares no TCP port (no-port)'],
    [{ container: 'app' }, 'container "app": declares no TCP port (no-port)'],
    [{ container: '' }, 'container "": declares no TCP port (no-port)'],
    [{}, 'Pod: declares no TCP port (no-port)'],
  ] as const)('is one line for %j', (place, line) =>
    expect(formatNotInjected({ ...place, code: 'no-port', detail })).toBe(line),
  );

  it('has codes that differ', () => expect(new Set(REASON_CODES).size).toBe(REASON_CODES.length));
});

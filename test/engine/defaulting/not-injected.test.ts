import { describe, expect, it } from 'vitest';
import { formatNotInjected, REASON_CODES, withoutHandler } from '../../../src/engine/defaulting/not-injected.ts';

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

import { describe, expect, it } from 'vitest';
import { formatException, partsOf, shownMessage } from '../../../src/cli/check/finding-parts.ts';
import { findingKey } from '../../../src/cli/check/report.ts';
import { LEGACY, placedViolation } from './placed-violations.ts';

const port = placedViolation();

describe('the parts of a finding', () => {
  it('are its object, its probe, its path and its words', () => {
    const remedy = 'write port: http';
    const parts = partsOf({ ...port, message: 'is wrong', remedy });
    expect(parts).toEqual({
      object: 'Deployment shop/web',
      subject: 'app.readinessProbe',
      path: 'spec.template.spec.containers[0].readinessProbe.httpGet.port',
      message: `is wrong; ${remedy}`,
      text: `${parts.path}: is wrong; ${remedy} (named-port)`,
      url: 'https://github.com/probewright/probewright/blob/main/docs/checks.md#named-port',
      identity: findingKey(port),
    });
  });

  it('lack a probe, or a container, where the finding is about none', () => {
    const { probe, ...ofContainer } = port;
    expect(probe).toBe('readinessProbe');
    expect(partsOf(ofContainer).subject).toBe('app');
    expect(partsOf({ ...ofContainer, container: '' }).subject).toBe('');
  });

  it('names its exception, or the number of workloads that get the probe', () => {
    expect(shownMessage({ ...port, exception: LEGACY })).toBe(
      `${port.message}; allowed by ProbeException legacy (owner team-a, SHOP-7) until 2027-03-31T00:00:00Z: moves in spring`,
    );
    expect(shownMessage({ ...port, workloads: 1 })).toMatch(/; 1 workload of the inputs gets the probe$/);
    expect(shownMessage({ ...port, workloads: 0 })).toMatch(/; 0 workloads of the inputs get the probe$/);
    expect(shownMessage(port)).toBe(port.message);
    const { ticket, ...without } = LEGACY;
    expect(ticket).toBe('SHOP-7');
    expect(formatException(without)).toContain('(owner team-a) until');
  });
});

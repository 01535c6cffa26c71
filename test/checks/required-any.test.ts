import { describe, expect, it } from 'vitest';
import { appContainer, pod } from '../worlds.ts';
import { findings, httpProbe, onlyFinding, podWith } from './workload.ts';

const ID = 'required-any';

describe('required-any', () => {
  it('says what to write at least', () => {
    expect(onlyFinding(ID, podWith({}))).toEqual({
      path: 'spec.containers[0]',
      message:
        'container "app" has no probe at all; write at least readinessProbe: { httpGet: { path: <endpoint>, port: http } }',
    });
  });

  it.each(['livenessProbe', 'readinessProbe', 'startupProbe'])('is content with a %s', (kind) => {
    expect(findings(ID, podWith({ [kind]: httpProbe() }))).toEqual([]);
  });

  it('looks at the main container, and at all with containers: all', () => {
    expect(findings(ID, pod([appContainer({ livenessProbe: httpProbe() }), { name: 'helper' }]))).toEqual([]);
    expect(
      findings(ID, pod([appContainer({ livenessProbe: httpProbe() }), { name: 'helper' }]), { containers: 'all' }),
    ).toHaveLength(1);
  });

  it('is about workloads that run for ever', () => {
    expect(findings(ID, podWith({}, { restartPolicy: 'Never' }))).toEqual([]);
  });
});

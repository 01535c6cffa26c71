import { describe, expect, it } from 'vitest';
import { appContainer, pod } from '../../support/worlds.ts';
import { findings, httpProbe, onlyFinding, podWith } from './workload.ts';

const ID = 'required-any';

describe('required-any', () => {
  it('says what to write at least', () => {
    expect(onlyFinding(ID, podWith({}))).toEqual({
      path: 'spec.containers[0]',
      message: 'container "app" has no probe at all',
      remedy: 'write readinessProbe: { httpGet: { path: <endpoint>, port: http } }',
    });
  });

  it.each(['livenessProbe', 'readinessProbe', 'startupProbe'])('is content with a %s', (kind) => {
    expect(findings(ID, podWith({ [kind]: httpProbe() }))).toEqual([]);
  });

  it('looks at every container, and with containers: main at the main container', () => {
    const workload = pod([appContainer({ livenessProbe: httpProbe() }), { name: 'helper' }]);
    expect(findings(ID, workload, { containers: 'main' })).toEqual([]);
    expect(findings(ID, workload)).toHaveLength(1);
  });

  it('is about workloads that run for ever', () => {
    expect(findings(ID, podWith({}, { restartPolicy: 'Never' }))).toEqual([]);
  });
});

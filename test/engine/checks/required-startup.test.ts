import { describe, expect, it } from 'vitest';
import { appContainer, pod } from '../../support/worlds.ts';
import { deploymentWith, findings, httpProbe, onlyFinding, paths, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'required-startup';
const SIDECAR = { name: 'proxy', restartPolicy: 'Always' };
const JOB: JsonObject = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  spec: { template: { spec: { restartPolicy: 'Never', containers: [appContainer()] } } },
};

describe('required-startup', () => {
  it('says what to write', () => {
    expect(onlyFinding(ID, deploymentWith({}))).toEqual({
      probe: 'startupProbe',
      path: 'spec.template.spec.containers[0].startupProbe',
      message: expect.stringMatching(/^container "app" has no startupProbe and [^;]*$/) as string,
      remedy: 'write startupProbe: { httpGet: { path: <endpoint>, port: http } }',
    });
  });

  it('accepts a container that has one, also a malformed one and one of Istio', () => {
    expect(findings(ID, podWith({ startupProbe: httpProbe() }))).toEqual([]);
    expect(findings(ID, podWith({ startupProbe: 'x' }))).toEqual([]);
    expect(findings(ID, podWith({ startupProbe: httpProbe({}, '/app-health/app/livez') }))).toEqual([]);
    expect(findings(ID, podWith({ startupProbe: null }))).toHaveLength(1);
  });

  it('looks at every application container, and with containers: main at the main container', () => {
    const helper = { name: 'helper' };
    expect(findings(ID, pod([helper, appContainer()]))).toHaveLength(2);
    expect(paths(ID, pod([helper, appContainer()]), { containers: 'main' })).toEqual([
      'spec.containers[1].startupProbe',
    ]);
  });

  it('is not silent when the main container cannot be determined', () => {
    const others = [appContainer({ startupProbe: httpProbe() }), appContainer({ name: 'other' })];
    expect(onlyFinding(ID, pod(others), { containers: 'main' })).toEqual({
      probe: 'startupProbe',
      path: 'spec.containers[1].startupProbe',
      message: 'cannot determine the main container, and container "other" has no startupProbe',
      remedy: 'name it in the annotation kubectl.kubernetes.io/default-container of the Pod',
    });
  });

  it('looks at sidecars when asked to, and at plain init containers never', () => {
    const workload = podWith({ startupProbe: httpProbe() }, { initContainers: [{ name: 'init' }, SIDECAR] });
    expect(paths(ID, workload, { containers: 'main' })).toEqual([]);
    expect(paths(ID, workload, { sidecars: true })).toEqual(['spec.initContainers[1].startupProbe']);
  });

  it('is about workloads that run for ever', () => {
    expect(findings(ID, JOB, { containers: 'all' })).toEqual([]);
    expect(findings(ID, podWith({}, { restartPolicy: 'OnFailure' }))).toEqual([]);
  });

  it('prints the startup probe in full beside a liveness probe', () => {
    expect(onlyFinding(ID, podWith({ livenessProbe: httpProbe() })).remedy).toBe(
      'write startupProbe: { httpGet: { path: /live, port: http }, periodSeconds: 5, failureThreshold: 5 }',
    );
  });

  it('with whenLiveness wants one only beside a liveness probe', () => {
    expect(findings(ID, podWith({}), { whenLiveness: true })).toEqual([]);
    expect(findings(ID, podWith({ livenessProbe: httpProbe() }), { whenLiveness: true })).toHaveLength(1);
  });
});

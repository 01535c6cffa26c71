import { describe, expect, it } from 'vitest';
import { appContainer, pod } from '../../support/worlds.ts';
import { deploymentWith, findings, httpProbe, onlyFinding, paths, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'required-readiness';
const SIDECAR = { name: 'proxy', restartPolicy: 'Always' };
const JOB: JsonObject = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  spec: { template: { spec: { restartPolicy: 'Never', containers: [appContainer()] } } },
};

describe('required-readiness', () => {
  it('says what to write', () => {
    expect(onlyFinding(ID, deploymentWith({}))).toEqual({
      probe: 'readinessProbe',
      path: 'spec.template.spec.containers[0].readinessProbe',
      message: expect.stringMatching(/^container "app" has no readinessProbe and [^;]*$/) as string,
      remedy: 'write readinessProbe: { httpGet: { path: <endpoint>, port: http } }',
    });
  });

  it('accepts a container that has one, also a malformed one and one of Istio', () => {
    expect(findings(ID, podWith({ readinessProbe: httpProbe() }))).toEqual([]);
    expect(findings(ID, podWith({ readinessProbe: 'x' }))).toEqual([]);
    expect(findings(ID, podWith({ readinessProbe: httpProbe({}, '/app-health/app/livez') }))).toEqual([]);
    expect(findings(ID, podWith({ readinessProbe: null }))).toHaveLength(1);
  });

  it('looks at every application container, and with containers: main at the main container', () => {
    const helper = { name: 'helper' };
    expect(findings(ID, pod([helper, appContainer()]))).toHaveLength(2);
    expect(paths(ID, pod([helper, appContainer()]), { containers: 'main' })).toEqual([
      'spec.containers[1].readinessProbe',
    ]);
  });

  it('is not silent when the main container cannot be determined', () => {
    const others = [appContainer({ readinessProbe: httpProbe() }), appContainer({ name: 'other' })];
    expect(onlyFinding(ID, pod(others), { containers: 'main' })).toEqual({
      probe: 'readinessProbe',
      path: 'spec.containers[1].readinessProbe',
      message: 'cannot determine the main container, and container "other" has no readinessProbe',
      remedy: 'name it in the annotation kubectl.kubernetes.io/default-container of the Pod',
    });
  });

  it('looks at sidecars when asked to, and at plain init containers never', () => {
    const workload = podWith({ readinessProbe: httpProbe() }, { initContainers: [{ name: 'init' }, SIDECAR] });
    expect(paths(ID, workload, { containers: 'main' })).toEqual([]);
    expect(paths(ID, workload, { sidecars: true })).toEqual(['spec.initContainers[1].readinessProbe']);
  });

  it('is about workloads that run for ever', () => {
    expect(findings(ID, JOB, { containers: 'all' })).toEqual([]);
    expect(findings(ID, podWith({}, { restartPolicy: 'OnFailure' }))).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { appContainer, pod } from '../../support/worlds.ts';
import { deploymentWith, findings, httpProbe, onlyFinding, paths, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const SIDECAR = { name: 'proxy', restartPolicy: 'Always' };
const JOB: JsonObject = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  spec: { template: { spec: { restartPolicy: 'Never', containers: [appContainer()] } } },
};

describe.each([
  ['required-liveness', 'livenessProbe'],
  ['required-readiness', 'readinessProbe'],
  ['required-startup', 'startupProbe'],
])('%s', (id, kind) => {
  it('says what to write', () =>
    expect(onlyFinding(id, deploymentWith({}))).toEqual({
      probe: kind,
      path: `spec.template.spec.containers[0].${kind}`,
      message: expect.stringMatching(new RegExp(`^container "app" has no ${kind} and [^;]*$`)) as string,
      remedy: `write ${kind}: { httpGet: { path: <endpoint>, port: http } }`,
    }));

  it('accepts a container that has one, also a malformed one and one of Istio', () => {
    expect(findings(id, podWith({ [kind]: httpProbe() }))).toEqual([]);
    expect(findings(id, podWith({ [kind]: 'x' }))).toEqual([]);
    expect(findings(id, podWith({ [kind]: httpProbe({}, '/app-health/app/livez') }))).toEqual([]);
    expect(findings(id, podWith({ [kind]: null }))).toHaveLength(1);
  });

  it('looks at every application container, and with containers: main at the main container', () => {
    const containers = pod([{ name: 'helper' }, appContainer()]);
    expect(findings(id, containers)).toHaveLength(2);
    expect(paths(id, containers, { containers: 'main' })).toEqual([`spec.containers[1].${kind}`]);
  });

  it('is not silent when the main container cannot be determined', () => {
    const others = [appContainer({ [kind]: httpProbe() }), appContainer({ name: 'other' })];
    expect(onlyFinding(id, pod(others), { containers: 'main' })).toEqual({
      probe: kind,
      path: `spec.containers[1].${kind}`,
      message: `cannot determine the main container, and container "other" has no ${kind}`,
      remedy: 'name it in the annotation kubectl.kubernetes.io/default-container of the Pod',
    });
  });

  it('looks at sidecars when asked to, and at plain init containers never', () => {
    const workload = podWith({ [kind]: httpProbe() }, { initContainers: [{ name: 'init' }, SIDECAR] });
    expect(paths(id, workload, { containers: 'main' })).toEqual([]);
    expect(paths(id, workload, { sidecars: true })).toEqual([`spec.initContainers[1].${kind}`]);
  });

  it('is about workloads that run for ever', () => {
    expect(findings(id, JOB, { containers: 'all' })).toEqual([]);
    expect(findings(id, podWith({}, { restartPolicy: 'OnFailure' }))).toEqual([]);
    expect(findings(id, podWith({ restartPolicy: 'OnFailure' }))).toEqual([]);
    expect(findings(id, podWith({ restartPolicy: 'Always' }))).toHaveLength(1);
  });
});

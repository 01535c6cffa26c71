import { describe, expect, it } from 'vitest';
import { appContainer, pod } from '../../support/worlds.ts';
import { deploymentWith, findings, httpProbe, onlyFinding, paths, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'required-liveness';
const SIDECAR = { name: 'proxy', restartPolicy: 'Always' };
const JOB: JsonObject = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  spec: { template: { spec: { restartPolicy: 'Never', containers: [appContainer()] } } },
};

describe('required-liveness', () => {
  it('says what to write', () => {
    expect(onlyFinding(ID, deploymentWith({}))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.template.spec.containers[0].livenessProbe',
      message: expect.stringMatching(/^container "app" has no livenessProbe and [^;]*$/) as string,
      remedy: 'write livenessProbe: { httpGet: { path: <endpoint>, port: http } }',
    });
  });

  it('accepts a container that has one, also a malformed one and one of Istio', () => {
    expect(findings(ID, podWith({ livenessProbe: httpProbe() }))).toEqual([]);
    expect(findings(ID, podWith({ livenessProbe: 'x' }))).toEqual([]);
    expect(findings(ID, podWith({ livenessProbe: httpProbe({}, '/app-health/app/livez') }))).toEqual([]);
    expect(findings(ID, podWith({ livenessProbe: null }))).toHaveLength(1);
  });

  it('looks at every application container, and with containers: main at the main container', () => {
    const helper = { name: 'helper' };
    expect(findings(ID, pod([helper, appContainer()]))).toHaveLength(2);
    expect(paths(ID, pod([helper, appContainer()]), { containers: 'main' })).toEqual([
      'spec.containers[1].livenessProbe',
    ]);
  });

  it('is not silent when the main container cannot be determined', () => {
    const others = [appContainer({ livenessProbe: httpProbe() }), appContainer({ name: 'other' })];
    expect(onlyFinding(ID, pod(others), { containers: 'main' })).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[1].livenessProbe',
      message: 'cannot determine the main container, and container "other" has no livenessProbe',
      remedy: 'name it in the annotation kubectl.kubernetes.io/default-container of the Pod',
    });
  });

  it.each([
    [{ containerPort: 5432 }, '{ tcpSocket: { port: 5432 } }'],
    [{ containerPort: 9000, name: 'redis' }, '{ tcpSocket: { port: redis } }'],
    [{ containerPort: 9000, name: 'grpc' }, '{ grpc: { port: 9000 } }'],
    [{ containerPort: 9000 }, '{ httpGet: { path: <endpoint>, port: 9000 } }'],
  ])('suggests a handler that the port %j may answer', (port, handler) => {
    expect(onlyFinding(ID, podWith({ ports: [port] })).remedy).toBe(`write livenessProbe: ${handler}`);
  });

  it('looks at sidecars when asked to, and at plain init containers never', () => {
    const workload = podWith({ livenessProbe: httpProbe() }, { initContainers: [{ name: 'init' }, SIDECAR] });
    expect(paths(ID, workload, { containers: 'main' })).toEqual([]);
    expect(paths(ID, workload, { sidecars: true })).toEqual(['spec.initContainers[1].livenessProbe']);
  });

  it('is about workloads that run for ever', () => {
    expect(findings(ID, JOB, { containers: 'all' })).toEqual([]);
    expect(findings(ID, podWith({}, { restartPolicy: 'OnFailure' }))).toEqual([]);
    expect(findings(ID, podWith({ restartPolicy: 'OnFailure' }))).toEqual([]);
    expect(findings(ID, podWith({ restartPolicy: 'Always' }))).toHaveLength(1);
  });
});

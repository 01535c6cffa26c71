import { describe, expect, it } from 'vitest';
import { cases } from '../../support/cases.ts';
import { FieldPlace, formatPath } from '../../../src/base/json/field-path.ts';
import { NumberLiteral, type JsonObject } from '../../../src/base/json/json-value.ts';
import { decodeProblem, METADATA_TYPE } from '../../../src/engine/probe/api-schema.ts';

const SPEC = new FieldPlace([], 'spec');
/** A number whose text JavaScript would lose. */
const HUGE = new NumberLiteral('1e999');

describe('a value that the API server cannot decode', () => {
  /** Our path and the server's message for a liveness probe. */
  function problem(livenessProbe: unknown, list = 'containers'): unknown {
    const found = decodeProblem({ [list]: [{}, { livenessProbe }] }, SPEC);
    return found && { ...found, path: formatPath(found.path) };
  }

  it('is told by its Go field and type, with our path beside it', () =>
    expect(problem({ timeoutSeconds: '5s' })).toEqual({
      path: 'spec.containers[1].livenessProbe.timeoutSeconds',
      message:
        'json: cannot unmarshal string into Go struct field Probe.spec.containers.livenessProbe.timeoutSeconds of type int32',
    }));

  it.each(cases('api-schema', 'undecodable') as [unknown, string][])('such as %j', (probe, message) =>
    expect(problem(probe)).toHaveProperty('message', `json: cannot unmarshal ${message}`),
  );

  it('is the first of the document', () =>
    expect(problem({ periodSeconds: '1', failureThreshold: '1' })).toHaveProperty(
      'path',
      'spec.containers[1].livenessProbe.periodSeconds',
    ));

  it('is a port before anything else, since that ends Go’s decoding at once', () => {
    const probe = { periodSeconds: '1', tcpSocket: { port: false }, httpGet: { port: [] } };
    expect(problem(probe)).toEqual({
      path: 'spec.containers[1].livenessProbe.tcpSocket.port',
      message:
        'json: cannot unmarshal bool into Go struct field TCPSocketAction.spec.containers.livenessProbe.ProbeHandler.tcpSocket.port of type int32',
    });
  });

  it('is looked for in every list, also where no probe may be', () => {
    expect(problem(true, 'initContainers')).toBeDefined();
    expect(problem(true, 'ephemeralContainers')).toHaveProperty(
      'message',
      'json: cannot unmarshal bool into Go struct field EphemeralContainer.spec.ephemeralContainers.EphemeralContainerCommon.livenessProbe of type v1.Probe',
    );
  });

  it('is none of these: nulls, unknown fields, integers at their bounds', () => {
    const probe = {
      exec: null,
      initialDelaySeconds: 2_147_483_647,
      failureThreshold: -2_147_483_648,
      terminationGracePeriodSeconds: 2 ** 63,
      tcpSocket: { port: 'any name', host: null },
      grpc: { port: null, mood: {} },
      PeriodSeconds: 'unknown',
      constructor: 'unknown',
    };
    expect(problem(probe)).toBeUndefined();
  });

  it('is an integer beyond its type, on both sides', () => {
    for (const field of ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold'])
      for (const value of [2_147_483_648, -2_147_483_649])
        expect(problem({ [field]: value })).toHaveProperty(
          'message',
          `json: cannot unmarshal number ${value} into Go struct field Probe.spec.containers.livenessProbe.${field} of type int32`,
        );
    for (const value of [2 ** 63 + 2048, -(2 ** 63) - 2048])
      expect(problem({ terminationGracePeriodSeconds: value })).toBeDefined();
    for (const value of [2_147_483_648, -(2 ** 63)])
      expect(problem({ terminationGracePeriodSeconds: value })).toBeUndefined();
  });

  it.each<[JsonObject, string]>([
    [
      { periodSeconds: HUGE },
      'number 1e999 into Go struct field Probe.spec.containers.livenessProbe.periodSeconds of type int32',
    ],
    [
      { tcpSocket: { host: HUGE } },
      'number into Go struct field TCPSocketAction.spec.containers.livenessProbe.ProbeHandler.tcpSocket.host of type string',
    ],
    [
      { tcpSocket: { port: HUGE } },
      'number 1e999 into Go struct field TCPSocketAction.spec.containers.livenessProbe.ProbeHandler.tcpSocket.port of type int32',
    ],
    [
      { exec: { command: HUGE } },
      'number into Go struct field ExecAction.spec.containers.livenessProbe.ProbeHandler.exec.command of type []string',
    ],
    [
      { exec: HUGE },
      'number into Go struct field Probe.spec.containers.livenessProbe.ProbeHandler.exec of type v1.ExecAction',
    ],
  ])('is a number that fits no integer: %j', (probe, message) =>
    expect(problem(probe)).toHaveProperty('message', `json: cannot unmarshal ${message}`),
  );

  /** Where a member of a container is wrong, and what it has to be. */
  function fault(container: JsonObject): string | undefined {
    const found = decodeProblem({ containers: [container] }, SPEC);
    return found && `${formatPath(found.path)}: ${found.message.replace(/.*into Go struct field /, '')}`;
  }

  it.each<[JsonObject, string]>([
    [{ name: 1 }, 'name: Container.spec.containers.name of type string'],
    [{ env: [{}, { value: 8080 }] }, 'env[1].value: EnvVar.spec.containers.env.value of type string'],
    [{ args: ['a', {}] }, 'args[1]: Container.spec.containers.args of type string'],
    [{ ports: {} }, 'ports: Container.spec.containers.ports of type []v1.ContainerPort'],
    [{ ports: [{}, 'http'] }, 'ports[1]: Container.spec.containers.ports of type v1.ContainerPort'],
    [{ ports: [{ hostPort: '1' }] }, 'ports[0].hostPort: ContainerPort.spec.containers.ports.hostPort of type int32'],
    [
      { ports: [{ protocol: 6 }] },
      'ports[0].protocol: ContainerPort.spec.containers.ports.protocol of type v1.Protocol',
    ],
    [
      { restartPolicyRules: [{ exitCodes: { values: [1, '2'] } }] },
      'restartPolicyRules[0].exitCodes.values[1]: ContainerRestartRuleOnExitCodes.spec.containers.restartPolicyRules.exitCodes.values of type int32',
    ],
    [
      { lifecycle: { preStop: { sleep: { seconds: '5' } } } },
      'lifecycle.preStop.sleep.seconds: SleepAction.spec.containers.lifecycle.preStop.sleep.seconds of type int64',
    ],
    [
      { lifecycle: { postStart: { httpGet: { httpHeaders: [{ value: true }] } } } },
      'lifecycle.postStart.httpGet.httpHeaders[0].value: HTTPHeader.spec.containers.lifecycle.postStart.httpGet.httpHeaders.value of type string',
    ],
  ])('is told with the innermost struct, and with names without indices: %j', (container, expected) =>
    expect(fault(container)).toBe(`spec.containers[0].${expected}`),
  );

  it('is a member of the Pod spec itself', () => {
    expect(decodeProblem({ containers: 'app' }, SPEC)?.message).toBe(
      'json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type []v1.Container',
    );
    expect(decodeProblem({ restartPolicy: false, terminationGracePeriodSeconds: '1' }, SPEC)?.message).toContain(
      'PodSpec.spec.restartPolicy of type v1.RestartPolicy',
    );
    expect(decodeProblem({}, SPEC)).toBeUndefined();
    expect(decodeProblem({ containers: null, hostNetwork: 'unknown here' }, SPEC)).toBeUndefined();
  });

  it.each<[JsonObject, string | undefined]>([
    [{ name: true }, 'metadata.name: bool into Go struct field ObjectMeta.metadata.name of type string'],
    [
      { namespace: 123 },
      'metadata.namespace: number into Go struct field ObjectMeta.metadata.namespace of type string',
    ],
    [
      { labels: { app: 'web', 'a/b': true } },
      'metadata.labels["a/b"]: bool into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [
      { annotations: ['a'] },
      'metadata.annotations: array into Go struct field ObjectMeta.metadata.annotations of type map[string]string',
    ],
    [
      { annotations: 'a' },
      'metadata.annotations: string into Go struct field ObjectMeta.metadata.annotations of type map[string]string',
    ],
    [{ name: 'web', labels: { app: null }, annotations: null, generation: 'unknown here' }, undefined],
  ])('is a word of the metadata: %j', (metadata, expected) => {
    const found = decodeProblem(metadata, new FieldPlace([], 'metadata'), METADATA_TYPE);
    const text = found && `${formatPath(found.path)}: ${found.message.replace('json: cannot unmarshal ', '')}`;
    expect(text).toBe(expected);
  });
});

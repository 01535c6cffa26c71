import { describe, expect, it } from 'vitest';
import { cases } from '../../support/cases.ts';
import { FieldPlace, formatPath } from '../../../src/base/json/field-path.ts';
import { defaultedPodSpec } from '../../../src/engine/probe/api-defaults.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import { apiCauses, deploymentCauses, type PodSpecPlace } from '../../../src/engine/probe/api-rules.ts';
import { decodeProblem } from '../../../src/engine/probe/api-schema.ts';
import { runs } from '../../support/runs.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

import fc from 'fast-check';

const SPEC = new FieldPlace([], 'spec');

/** The causes of a Pod's spec, or of one container of a Pod that is updated, as lines: path, reason without its prefix, message. */
function causes({ spec, container, place = 'pod-update' }: JsonObject): JsonObject {
  const podSpec = (spec ?? { containers: [container] }) as JsonObject;
  const lines = apiCauses(defaultedPodSpec(podSpec), SPEC, place as PodSpecPlace).map(
    ({ path, reason, message }) => `${formatPath(path)} ${reason.replace('FieldValue', '')} ${message}`,
  );
  return { causes: lines.length > 0 ? lines : undefined };
}

describe('the API server', () => describeCases('test/fixtures/api-rules.yaml', ['causes'], causes));

const TCP = { tcpSocket: { port: 6379 } };

describe('what probes lean on', () =>
  it('the deadline of a Deployment, which is later than minReadySeconds', () => {
    const deployment = (spec: JsonObject): string[] => deploymentCauses({ spec }).map(({ message }) => message);
    expect(deployment({})).toEqual([]);
    expect(deployment({ minReadySeconds: 600 })).toEqual(['Invalid value: 600: must be greater than minReadySeconds']);
    expect(deployment({ progressDeadlineSeconds: -1 })).toHaveLength(2);
  }));

describe('several causes', () =>
  it('come container after container, in the API server’s order of lists', () => {
    const causes = apiCauses(
      defaultedPodSpec({
        restartPolicy: 'Once',
        ephemeralContainers: [{ livenessProbe: {} }],
        initContainers: [{}, { startupProbe: {} }],
        containers: [{ startupProbe: {}, livenessProbe: {} }, { readinessProbe: TCP }],
      }),
      new FieldPlace(['spec', 'template'], 'spec'),
      'template',
    );
    const prefix = 'spec.template.spec';
    expect(causes.map(({ path }) => formatPath(path))).toEqual([
      `${prefix}.containers[0].livenessProbe`,
      `${prefix}.containers[0].startupProbe`,
      `${prefix}.initContainers[1].startupProbe`,
      `${prefix}.ephemeralContainers[0].livenessProbe`,
      `${prefix}.restartPolicy`,
      `${prefix}.ephemeralContainers`,
    ]);
  }));

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

  it.each(cases('api-rules', 'undecodable values') as [unknown, string][])('such as %j', (probe, message) =>
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
});

describe('any JSON', () =>
  it('is answered, never thrown at', () => {
    const anything = fc.jsonValue();
    const handler = fc.record({ port: anything, command: anything, httpHeaders: anything, scheme: anything });
    const probe = fc.oneof(
      anything,
      fc.record({ exec: handler, httpGet: handler, tcpSocket: anything, periodSeconds: anything }),
    );
    const container = fc.record({
      livenessProbe: probe,
      ports: anything,
      lifecycle: anything,
      restartPolicyRules: anything,
    });
    const containers = fc.oneof(anything, fc.array(fc.oneof(anything, container)));
    const podSpec = fc.record({ containers, initContainers: containers, ephemeralContainers: containers });
    fc.assert(
      fc.property(podSpec, (spec) => {
        const defaulted = defaultedPodSpec(spec);
        decodeProblem(defaulted, SPEC);
        apiCauses(defaulted, SPEC, 'pod');
      }),
      { numRuns: runs(500) },
    );
  }));

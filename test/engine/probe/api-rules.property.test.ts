import { describe, expect, it } from 'vitest';
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

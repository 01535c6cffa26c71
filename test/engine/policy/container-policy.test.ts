import { describe } from 'vitest';
import { mergeLayers } from '../../../src/engine/policy/container-policy.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import { parsedPolicy, policyDocument } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

/** Specs of layers, or of the liveness probes of layers. */
interface Case {
  readonly layers?: readonly JsonObject[];
  readonly liveness?: readonly (JsonObject | null)[];
}

describe('a container', () =>
  describeCases('test/fixtures/layers.yaml', ['livenessProbe', 'port', 'startupSeconds'], (given) => {
    const { layers, liveness = [] } = given as Case;
    const specs = layers ?? liveness.map((livenessProbe) => ({ probes: { livenessProbe } }));
    const policies = specs.map((spec, index) => parsedPolicy(policyDocument(spec, `layer-${index}`)));
    const { probes, port, startupSeconds } = mergeLayers(policies);
    return { livenessProbe: probes.livenessProbe, port, startupSeconds };
  }));

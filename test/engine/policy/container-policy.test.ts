import { describe } from 'vitest';
import { isAimed, mergeLayers, type Given } from '../../../src/engine/policy/container-policy.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import { parsedPolicy, policyDocument } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

/** Specs of layers, or of the liveness probes of layers. */
interface Case {
  readonly layers?: readonly JsonObject[];
  readonly liveness?: readonly (JsonObject | null)[];
}

const shown = (given: Given<unknown> | undefined) =>
  given && { value: given.value, source: given.layer.source, isAimed: isAimed(given.layer) };

describe('a container', () =>
  describeCases('test/fixtures/layers.yaml', ['livenessProbe', 'port', 'startupSeconds'], (given) => {
    const { layers, liveness: probesOfLayers = [] } = given as Case;
    const specs = layers ?? probesOfLayers.map((livenessProbe) => ({ probes: { livenessProbe } }));
    const policies = specs.map((spec, index) => parsedPolicy(policyDocument(spec, `layer-${index}`)));
    const { probes, port, startupSeconds } = mergeLayers(policies);
    const { handler, ...liveness } = probes.livenessProbe;
    return { livenessProbe: { handler: shown(handler), ...liveness }, port: shown(port), startupSeconds };
  }));

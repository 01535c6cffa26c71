import { strings } from '../policy/check-parameters.ts';
import { stringMember } from '../json/json-value.ts';
import { requestedPath } from '../probes/requested-path.ts';
import { probeOf } from './checked-probe.ts';
import { containerPhrase } from './wording.ts';
import { quote } from '../text/quote.ts';
import { defineCheck } from './check.ts';
import type { Finding } from './check.ts';

/**
 * Paths that also report on dependencies. The value is the path that reports on the process alone, if the framework has
 * one.
 */
const KNOWN_PATHS: ReadonlyMap<string, string | undefined> = new Map([
  ['/actuator/health', '/actuator/health/liveness'],
  ['/manage/health', '/manage/health/liveness'],
  ['/actuator/health/readiness', '/actuator/health/liveness'],
  ['/readyz', '/livez'],
  ['/ready', undefined],
  ['/-/ready', '/-/healthy'],
  ['/health/ready', '/health/live'],
  ['/healthcheck/ready', '/healthcheck/live'],
]);

/** Limits for each of the two lists. */
const BOUNDS = {
  count: {
    maximum: 256,
    unit: 'paths',
    at: 'checks.dependency-liveness.paths, checks.dependency-liveness.additionalPaths',
  },
  length: {
    maximum: 4096,
    unit: 'characters',
    at: 'checks.dependency-liveness.paths[], checks.dependency-liveness.additionalPaths[]',
  },
};

/**
 * Field: `livenessProbe.httpGet.path`.
 *
 * Rule: the path is not an aggregate or readiness endpoint (parameters `paths` and `additionalPaths`, compared as a
 * whole). Spring Boot's documentation: a liveness probe must not depend on external systems. Otherwise the platform
 * restarts every instance while one such system is down.
 */
export const dependencyLiveness = defineCheck({
  id: 'dependency-liveness',
  summary: 'A liveness probe asks an endpoint that reports on dependencies.',
  action: 'Warn',
  parameters: {
    paths: strings({
      ...BOUNDS,
      default: new Set(KNOWN_PATHS.keys()),
      text:
        'Whole paths of endpoints that report on dependencies, e.g. [/actuator/health]. ' +
        'A list of your own replaces the built-in one, which docs/checks.md shows.',
    }),
    additionalPaths: strings({
      ...BOUNDS,
      default: new Set(),
      text: 'Paths besides those in paths (or the built-in list), e.g. [/healthz/deep]. None by default.',
    }),
  },
  run: (_workload, container, { paths, additionalPaths }): Finding[] => {
    const liveness = probeOf(container, 'livenessProbe');
    const written = liveness?.handlerKind === 'httpGet' ? stringMember(liveness.handler, 'path') : undefined;
    if (liveness === undefined || written === undefined) return [];
    const path = requestedPath(written);
    if (!paths.has(path) && !additionalPaths.has(path)) return [];
    const message =
      `${containerPhrase(container)} is restarted, in every replica at once, ` +
      `when a dependency that ${quote(path)} answers for is down; ` +
      whatToWrite(path);
    return [{ probe: 'livenessProbe', path: liveness.place.path(liveness.handlerKind, 'path'), message }];
  },
});

function whatToWrite(path: string): string {
  const alive = KNOWN_PATHS.get(path);
  return alive === undefined ? 'write a path that answers for the process alone' : `write path: ${alive}`;
}

import { stringMember } from '../probes/json.ts';
import { probeOf } from './checked-probe.ts';
import { stringSetParameter } from './parameters.ts';
import { the } from './wording.ts';
import { quote } from '../text/quote.ts';
import type { Check, Finding } from './check.ts';

/**
 * Paths that answer for dependencies as well, and the path that answers for the process alone where the framework has
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

const DEFAULT_PATHS: ReadonlySet<string> = new Set(KNOWN_PATHS.keys());
const NO_PATHS: ReadonlySet<string> = new Set();

/**
 * Field: `livenessProbe.httpGet.path`.
 *
 * Rule: not an aggregate or readiness endpoint (parameters `paths` and `additionalPaths`, compared whole). Spring
 * Boot's documentation: a liveness probe must not depend on external systems, else the platform restarts every
 * instance while one of those is down.
 */
export const dependencyLiveness: Check = {
  id: 'dependency-liveness',
  run: (_workload, container, parameters): Finding[] => {
    const liveness = probeOf(container, 'livenessProbe');
    const path = liveness?.handlerKind === 'httpGet' ? stringMember(liveness.handler, 'path') : undefined;
    if (liveness === undefined || path === undefined) return [];
    const isKnown =
      stringSetParameter(parameters, 'paths', DEFAULT_PATHS).has(path) ||
      stringSetParameter(parameters, 'additionalPaths', NO_PATHS).has(path);
    if (!isKnown) return [];
    const message =
      `${the(container)} is restarted, in every replica at once, when a dependency that ${quote(path)} answers for is down; ` +
      whatToWrite(path);
    return [{ probe: 'livenessProbe', path: `${liveness.handlerPath}.path`, message }];
  },
};

function whatToWrite(path: string): string {
  const alive = KNOWN_PATHS.get(path);
  return alive === undefined ? 'write a path that answers for the process alone' : `write path: ${alive}`;
}

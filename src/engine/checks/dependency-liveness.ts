import { requestedPath } from '../probe/handler-values.ts';
import { SELF_CONTAINED_PARTS } from '../port/public-words.ts';
import { isUnixSocket, listeningOf } from '../port/listening.ts';
import { protocolOfPort } from '../port/speaks.ts';
import { productOf } from '../port/words.ts';
import { NO_SERVICES } from '../facts/services.ts';
import { containerPhrase, defineCheck, located, quotedValue } from './check.ts';
import { askedPort } from './lib/probe-port.ts';
import type { Container, Probe } from '../workload/pod.ts';

/**
 * Paths that also report on dependencies. The value is the framework's own path that reports on the process alone, if
 * the framework documents one: Spring Boot's liveness group (JHipster serves it below /management), MicroProfile Health
 * as Quarkus serves it, and Prometheus and its relatives. A path of no known framework has no value, because no other
 * path is known to answer.
 */
const KNOWN_PATHS: ReadonlyMap<string, string | undefined> = new Map([
  ...['/actuator/health', '/manage/health', '/management/health'].flatMap((path) =>
    [path, `${path}/readiness`].map((asked) => [asked, `${path}/liveness`] as const),
  ),
  ['/q/health', '/q/health/live'],
  ['/q/health/ready', '/q/health/live'],
  ['/readyz', undefined],
  ['/ready', undefined],
  ['/-/ready', '/-/healthy'],
  ['/health/ready', undefined],
  ['/healthcheck/ready', undefined],
]);
const DEFAULT_PATHS: ReadonlySet<string> = new Set(KNOWN_PATHS.keys());

/** A path whose last segment names a readiness endpoint, wherever the path begins. */
const ENDS_IN_READINESS = /^[^?#]*\/(?:ready|readiness|readyz)\/?(?:$|[?#])/i;

/** Last segments of health endpoints that ask other programs. */
const OF_OTHERS = /^(?:db|databases?|deep|deps|dependenc(?:y|ies)|downstreams?|full)$/i;

/** True for a health endpoint whose last segment names another program: `/health/db`, `/healthz/redis`. */
function namesOthers(path: string): boolean {
  const [withoutQuery = ''] = path.split(/[?#]/, 1);
  const [last = '', before = ''] = withoutQuery.split('/').filter(Boolean).reverse();
  return /health|check|live|status/i.test(before) && (OF_OTHERS.test(last) || productOf(last) !== undefined);
}

/**
 * True with an argument that selects a part whose /ready asks the process alone: `-target=querier`. An ingester asks
 * the ring, and a query frontend its queriers (grafana/loki, pkg/loki/loki.go, readyHandler).
 */
function isSelfContained(container: Container): boolean {
  const target = container.settings().find(({ from, name }) => from === 'flag' && name === 'target');
  return SELF_CONTAINED_PARTS.has(target?.value ?? '');
}

/**
 * True for an endpoint of a server whose readiness no other program decides. An admission webhook answers from its own
 * memory. A helper that listens on a Unix socket serves its own Pod alone.
 */
function isOfItself(probe: Probe, path: string): boolean {
  const { container } = probe;
  const asked = askedPort(probe);
  const port = asked && { name: asked.declared?.name, number: asked.number };
  return (
    (path === '/ready' && isSelfContained(container)) ||
    (port !== undefined && protocolOfPort(port, container, NO_SERVICES).speaks === 'nothing to ask') ||
    container.once(listeningOf).flags.some(({ value }) => isUnixSocket(value))
  );
}

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
 * Spring Boot's documentation: a liveness probe must not depend on external systems. A policy's own `paths` replace the
 * built-in list and the rule about the last segment. No edits: no other path is known to answer.
 */
export const dependencyLiveness = defineCheck({
  id: 'dependency-liveness',
  summary: 'A liveness probe asks an endpoint that reports on dependencies.',
  action: 'Warn',
  handlers: ['httpGet'],
  judgesProbeAlone: true,
  parameters: {
    paths: {
      type: 'strings',
      ...BOUNDS,
      default: DEFAULT_PATHS,
      text:
        'Whole paths of endpoints that report on dependencies, e.g. [/actuator/health]. ' +
        'A list of your own replaces the built-in list of docs/checks.md and the rule about the last segment.',
    },
    additionalPaths: {
      type: 'strings',
      ...BOUNDS,
      default: new Set(),
      text: 'Paths besides those in paths (or the built-in list), e.g. [/healthz/deep]. None by default.',
    },
  },
  kinds: ['livenessProbe'],
  eachProbe: (liveness, { paths, additionalPaths }) => {
    const written = liveness.handler.path;
    if (written === undefined) return undefined;
    const path = requestedPath(written);
    const isListed = paths.has(path) || additionalPaths.has(path);
    if (!isListed && !(paths === DEFAULT_PATHS && (ENDS_IN_READINESS.test(path) || namesOthers(path))))
      return undefined;
    const alive = KNOWN_PATHS.get(path);
    return {
      ...located(liveness, 'httpGet', 'path'),
      message:
        `${containerPhrase(liveness.container)} asks ${quotedValue(written)} for liveness: the name suggests a readiness ` +
        'or aggregate endpoint, and the outage of a dependency then restarts every replica',
      remedy: alive === undefined ? 'use an endpoint that reports on this process only' : `write path: ${alive}`,
      ...(isOfItself(liveness, path) && { level: 'Audit' }),
    };
  },
});

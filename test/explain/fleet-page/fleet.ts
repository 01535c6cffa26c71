/** A fleet of workloads with many kinds of probes, the same at each call. */
export function fleet(workloads: number, namespaces = 8): string {
  const next = numbers(7);
  const pick = <T>(values: readonly T[]): T => values[next(values.length)] as T;
  const probe = (): object => ({
    periodSeconds: pick([1, 2, 5, 10, 10, 10, 15, 20, 30]),
    timeoutSeconds: pick([1, 1, 1, 2, 3, 5]),
    failureThreshold: pick([1, 3, 3, 3, 5, 6, 10, 30]),
    ...(next(10) < 3 && { initialDelaySeconds: pick([5, 10, 15, 30, 60, 120]) }),
    ...pick([
      { httpGet: { path: pick(['/healthz', '/ready', '/livez']), port: pick(['http', 'http', 'htpp']) } },
      { httpGet: { path: '/status', port: 8080 } },
      { tcpSocket: { port: 8080 } },
      { exec: { command: ['sh', '-c', pick(['pgrep app', 'curl -f localhost:8080/health'])] } },
    ]),
  });
  const container = (index: number): object => ({
    name: index === 0 ? 'app' : `${pick(['log', 'metrics', 'cache'])}-${index}`,
    image: `registry/app:1.${index}`,
    ports: [{ name: index === 0 ? 'http' : `p${index}`, containerPort: 8080 + index }],
    ...(next(10) < 6 && { livenessProbe: probe() }),
    ...(next(10) < 7 && { readinessProbe: probe() }),
    ...(next(10) < 3 && { startupProbe: { ...probe(), failureThreshold: pick([10, 30, 60, 120]) } }),
  });
  const items = Array.from({ length: workloads }, (_, index) => {
    const kind = pick(['Deployment', 'Deployment', 'Deployment', 'StatefulSet', 'DaemonSet']);
    const labels = { app: `app-${index}` };
    return {
      apiVersion: 'apps/v1',
      kind,
      metadata: { name: `${pick(WORDS)}-${pick(WORDS)}-${index}`, namespace: NAMESPACES[index % namespaces] },
      spec: {
        selector: { matchLabels: labels },
        ...(kind === 'StatefulSet' && { serviceName: 'headless' }),
        ...(kind !== 'DaemonSet' && { replicas: 2 }),
        template: {
          metadata: { labels },
          spec: { containers: Array.from({ length: pick([1, 1, 1, 2, 4]) }, (__, each) => container(each)) },
        },
      },
    };
  });
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}

/** A fleet of 12 workloads, of which three fail now and two have Pods without probes, by reports of an observer. */
export function failingFleet(): string {
  const { items, ...list } = JSON.parse(fleet(12, 3)) as { items: Workload[] };
  const since = '2026-11-20T11:40:00Z';
  const results: readonly (readonly object[])[] = [
    [
      live(
        'probe-failing',
        'container "app": its readinessProbe (httpGet /ready on port http) gets an HTTP status of 500 or more',
        {
          ...{ cause: 'http-5xx', container: 'app', probe: 'readinessProbe', status: '503', since },
          fix: 'Read the log of the container. A liveness endpoint must not fail because of another service.',
        },
      ),
    ],
    [
      live('container-failing', 'container "app" ends again and again', {
        ...{ cause: 'crash-loop', container: 'app', exitCode: '3' },
        fix: 'Read the log of its last run with kubectl logs --previous. The exit code tells how the run ended.',
      }),
      missed(items[1], 3, 'nothing injected them when the Pods were created'),
    ],
    [
      live('container-failing', 'container "app" does not start', {
        ...{ cause: 'cannot-start', container: 'app', reason: 'ImagePullBackOff' },
        fix: 'Read the events of the Pod with kubectl describe pod. Correct the image, or what the container refers to.',
      }),
    ],
    [missed(items[3], 2, 'they are older than the policy')],
  ];
  const reports = results.map((of, index) => {
    const { apiVersion, kind, metadata } = items[index] as Workload;
    return {
      ...{ apiVersion: 'openreports.io/v1alpha1', kind: 'Report' },
      metadata: { name: `r-${index}`, namespace: metadata.namespace },
      scope: { apiVersion, kind, ...metadata },
      results: of,
    };
  });
  return JSON.stringify({ ...list, items: [...items, ...reports] });
}

/** A fleet with exceptions whose owners, reasons and selectors have long words. */
export function fleetWithExceptions(): string {
  const { items, ...list } = JSON.parse(fleet(24, 4)) as { items: object[] };
  const exceptions = ['legacy-billing', 'migration'].map((name) => ({
    ...{ apiVersion: 'probewright.dev/v1alpha1', kind: 'ProbeException', metadata: { name, namespace: 'payments' } },
    spec: {
      checks: ['named-port', 'startup-budget', 'dependency-liveness'],
      workloadSelector: { matchLabels: { 'app.kubernetes.io/instance': 'billing-production' } },
      owner: 'platform-engineering@example.com',
      ticket: 'PLATFORM-12345',
      reason: 'The responsibilities of uncooperative subcontractors are under negotiation',
      expires: '2027-01-01T00:00:00Z',
    },
  }));
  return JSON.stringify({ ...list, items: [...items, ...exceptions] });
}

interface Workload {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
}

function live(rule: string, message: string, properties: object): object {
  return { source: 'probewright', rule, message, properties };
}

function missed(workload: Workload | undefined, pods: number, why: string): object {
  const { kind = '', metadata } = workload ?? {};
  const fix = `kubectl rollout restart ${kind.toLowerCase()}/${metadata?.name} -n ${metadata?.namespace}`;
  const properties = { cause: 'missed', pods: String(pods), sources: 'ClusterProbePolicy/app', fix };
  return live('missed-pods', `Pods lack probes that new Pods get: ${why}`, properties);
}

const WORDS = ['web', 'api', 'worker', 'billing', 'search', 'checkout', 'gateway', 'mailer', 'orders', 'catalog'];
const NAMESPACES = ['payments', 'shop', 'platform', 'search', 'media', 'auth', 'data', 'legacy'];

/** Numbers below a limit that look random: a linear congruential generator, with the constants of Numerical Recipes. */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

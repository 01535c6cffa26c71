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

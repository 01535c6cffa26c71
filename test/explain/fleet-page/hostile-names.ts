/** Names that try to leave their place in a page. The API server accepts none of them; files may have any. */
export const HOSTILE_NAMES: readonly string[] = [
  '</script><script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '<!--',
  ']]>',
  '</style></title></svg><script>alert(1)</script>',
  '&lt;script&gt;',
  'javascript:alert(1)',
  '\u202egnp.exe',
  'مرحبا-بالعالم',
  '👩‍👩‍👧‍👦🏳️‍🌈',
  'a'.repeat(253),
  'zero\u200bwidth\u0000null',
];

/** Workloads that have a text in each place that a page may show. */
export function hostileFleet(name: string): string {
  const probe = { httpGet: { path: `/${name}`, port: name, host: name, scheme: name }, [name]: name };
  const container = {
    name,
    image: name,
    command: [name],
    livenessProbe: probe,
    readinessProbe: { exec: { command: [name] } },
  };
  const object = (kind: string, each: string): object => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: `${each}${name}`, namespace: name, annotations: { 'probewright.dev/liveness-endpoint': name } },
    spec: { template: { metadata: { labels: { [name]: name } }, spec: { containers: [container, { name: 'b' }] } } },
  });
  const policy = {
    apiVersion: 'probewright.dev/v1alpha1',
    kind: 'ProbePolicy',
    metadata: { name, namespace: name },
    spec: { kubernetesProbeEndpoints: { livenessProbe: `/${name}` } },
  };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'List',
    items: [object('Deployment', 'a'), object('DaemonSet', 'b'), policy],
  });
}

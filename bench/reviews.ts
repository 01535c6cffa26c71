import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An object of the API, as far as it is extended here. */
interface Metadata {
  labels: Record<string, string>;
  annotations?: Record<string, string>;
  managedFields: { fieldsV1: Record<string, unknown> }[];
}
interface Container {
  name: string;
  env?: object[];
  volumeMounts?: object[];
  [probe: string]: unknown;
}
interface PodTemplate {
  metadata: Partial<Metadata>;
  spec: { containers: Container[]; volumes?: object[] };
}
interface Review {
  request: {
    uid: string;
    namespace: string;
    userInfo: object;
    object: PodTemplate & { metadata: Metadata; spec: { template?: PodTemplate } };
  };
}

/** Sizes that API servers send, in bytes. */
const SIZES = [4500, 5500, 6500, 7500, 8500, 9500, 10_500, 12_000];

const captured = (name: string): Review =>
  JSON.parse(readFileSync(join(import.meta.dirname, `../test/fixtures/reviews/${name}.json`), 'utf8')) as Review;

/**
 * Pods without a probe: /mutate adds three probes to each.
 *
 * @param requester `user`: /mutate decides about probes alone. `controller`: the ReplicaSet controller creates the
 *   Pod, so the same answer holds the verdict of /validate, too
 */
export function podReviews(requester: 'user' | 'controller'): Buffer[] {
  return SIZES.map((size, index) => {
    const review = captured('pod-create-by-replicaset');
    if (requester === 'user') review.request.userInfo = { username: 'jane', groups: ['system:authenticated'] };
    for (const container of review.request.object.spec.containers) withoutProbes(container);
    return extended(review, review.request.object, size, index);
  });
}

/** Deployments and Pods with all their probes, as /validate gets them; every eighth has something to complain about. */
export function workloadReviews(): Buffer[] {
  return SIZES.map((size, index) => {
    const review = captured(index % 2 === 0 ? 'deployment-create-validating' : 'pod-create-by-user-validating');
    const { object } = review.request;
    const template = object.spec.template ?? object;
    for (const container of template.spec.containers) addProbes(container, index === 7 ? 'htpp' : undefined);
    return extended(review, template, size, index);
  });
}

const PROBES = ['startupProbe', 'livenessProbe', 'readinessProbe'];

function withoutProbes(container: Container): void {
  for (const probe of PROBES) Reflect.deleteProperty(container, probe);
}

function addProbes(container: Container, wrongPort: string | undefined): void {
  const port = wrongPort ?? (container.name === 'nginx' ? 'https' : 'http');
  const scheme = container.name === 'nginx' ? 'HTTPS' : 'HTTP';
  const timing = { timeoutSeconds: 2, periodSeconds: 5, successThreshold: 1 };
  const asks = (path: string, failureThreshold: number): object => ({
    httpGet: { path, port, scheme },
    ...timing,
    failureThreshold,
  });
  Object.assign(container, {
    startupProbe: asks('/healthcheck/live', 60),
    livenessProbe: asks('/healthcheck/live', 6),
    readinessProbe: asks('/healthcheck/ready', 2),
  });
}

/** Adds what real workloads have, each with its managedFields, until the review is large enough. */
function extended(review: Review, template: PodTemplate, size: number, seed: number): Buffer {
  const [container] = template.spec.containers;
  if (container === undefined) throw new Error('a review without containers');
  const { metadata } = review.request.object;
  const fields = metadata.managedFields[0]?.fieldsV1 ?? {};
  const owned: Record<string, object> = {};
  fields['f:extended'] = owned;
  const labels = { team: `team-${seed}`, environment: 'production', 'app.kubernetes.io/managed-by': 'Helm' };
  Object.assign(metadata.labels, labels);
  template.metadata.labels = { ...template.metadata.labels, ...labels };
  review.request.uid = `fc144280-6727-4a5e-8114-1f418afd5f${seed}e`;
  for (let count = 0; ; count++) {
    const text = Buffer.from(JSON.stringify(review));
    if (text.length >= size) return text;
    const name = `SERVICE_${count}_URL`;
    const env =
      count % 3 === 2
        ? { name, valueFrom: { secretKeyRef: { name: `service-${count}`, key: 'url' } } }
        : { name, value: `https://service-${count}.team-${seed}.svc.cluster.local:8443/api/v1` };
    (container.env ??= []).push(env);
    owned[`k:{"name":"${name}"}`] = { '.': {}, 'f:name': {}, 'f:value': {} };
    if (count % 4 !== 3) continue;
    const volume = `config-${count}`;
    (template.spec.volumes ??= []).push({ name: volume, configMap: { name: volume, defaultMode: 420 } });
    (container.volumeMounts ??= []).push({ name: volume, readOnly: true, mountPath: `/etc/${volume}` });
    owned[`k:{"mountPath":"/etc/${volume}"}`] = { '.': {}, 'f:mountPath': {}, 'f:name': {}, 'f:readOnly': {} };
  }
}

/** A Pod with so many containers, none with a probe. */
export function podWithContainers(count: number): string {
  const review = captured('pod-create-minimal');
  const containers = Array.from({ length: count }, (_, index) => ({
    name: `container-${index}`,
    image: 'registry.example.com/shop:2.31.0',
    ports: [{ name: 'http', containerPort: 8080 + index, protocol: 'TCP' }],
    env: [{ name: 'LOG_LEVEL', value: 'info' }],
    resources: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '256Mi' } },
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
  }));
  review.request.object.spec.containers = containers;
  // Without an owner or a label, the Pod would count as a copy of kubectl debug.
  review.request.object.metadata.labels = { app: 'shop' };
  return JSON.stringify(review);
}

/** The reviews that a server gets at each of its paths. */
export function reviewsOfPaths(): readonly (readonly [path: '/mutate' | '/validate', bodies: Buffer[]])[] {
  return [
    ['/mutate', podReviews('user')],
    ['/validate', workloadReviews()],
  ];
}

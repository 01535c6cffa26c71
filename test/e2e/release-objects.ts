import type { ControlPlane } from './control-plane.ts';
import { waitUntil } from './processes.ts';
import { rule, serviceWebhookConfiguration } from './webhook-configuration.ts';
import type { PolicyRule, WrittenRules } from './written-rbac.ts';

/** What to install. */
export interface ReleaseOptions {
  readonly namespace: string;
  /** Name of the Service, of the webhook configurations and of the Lease, as in a Helm release. */
  readonly name: string;
  /** Its webhooks are asked for nothing, so that it stands beside one whose webhooks are. */
  readonly dormant?: boolean;
  /** Name of a Secret with a serving pair of the user's own. */
  readonly tlsSecret?: string;
}

export const serviceAccountName = 'probewright';

/** No port of the system's, so that nobody needs to be root. */
export const servicePort = 8443;

/** Creates what a chart would, but for the Deployment, and waits until the service account has its rights. */
export async function createObjects(
  cluster: ControlPlane,
  options: ReleaseOptions,
  rules: WrittenRules,
  clusterIP: string,
): Promise<void> {
  const { namespace, name } = options;
  await create(cluster, [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: serviceAccountName, namespace } },
    ...rbacObjects(namespace, name, rules),
    service(namespace, name, clusterIP),
  ]);
  await labelNamespaces(cluster, ['kube-system', namespace]);
  await create(cluster, webhookConfigurations(options));
  await untilAllowed(cluster, namespace, rules);
}

/** A token of the release's service account, for longer than any run of the tests. */
export async function requestToken(cluster: ControlPlane, namespace: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${serviceAccountName}/token`;
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 7200 } };
  const { status, body } = await cluster.request('POST', path, request);
  if (status !== 201) throw new Error(`no token for ${namespace}/${serviceAccountName}: ${status} ${body}`);
  return (JSON.parse(body) as { status: { token: string } }).status.token;
}

async function create(cluster: ControlPlane, objects: readonly object[]): Promise<void> {
  const input = objects.map((object) => JSON.stringify(object)).join('\n---\n');
  await cluster.kubectl(['create', '--filename=-'], { input });
}

function rbacObjects(namespace: string, name: string, rules: WrittenRules): object[] {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const apiGroup = 'rbac.authorization.k8s.io';
  const subjects = [{ kind: 'ServiceAccount', name: serviceAccountName, namespace }];
  const clusterName = `${name}.${namespace}`;
  return [
    { apiVersion, kind: 'ClusterRole', metadata: { name: clusterName }, rules: rules.cluster },
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: { name: clusterName },
      roleRef: { apiGroup, kind: 'ClusterRole', name: clusterName },
      subjects,
    },
    { apiVersion, kind: 'Role', metadata: { name, namespace }, rules: rules.namespace },
    {
      apiVersion,
      kind: 'RoleBinding',
      metadata: { name, namespace },
      roleRef: { apiGroup, kind: 'Role', name },
      subjects,
    },
  ];
}

function service(namespace: string, name: string, clusterIP: string): object {
  const spec = { clusterIP, ports: [{ name: 'webhook', port: servicePort, targetPort: servicePort }] };
  return { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace }, spec };
}

/** Both configurations, with two entries each: the caBundle belongs into all of them. */
function webhookConfigurations(options: ReleaseOptions): object[] {
  const { namespace, name } = options;
  const nowhere = { matchExpressions: [{ key: 'probewright.dev/nowhere', operator: 'Exists' }] };
  const excluded = { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system', namespace] };
  const namespaceSelector = options.dormant ? nowhere : { matchExpressions: [excluded] };
  const both = ['CREATE', 'UPDATE'];
  const workloads = [
    rule('', ['pods', 'replicationcontrollers'], both),
    rule('apps', ['deployments', 'replicasets', 'statefulsets', 'daemonsets'], both),
    rule('batch', ['jobs', 'cronjobs'], both),
  ];
  const target = { name, namespace, port: servicePort };
  // Would stand for another failurePolicy somewhere else; here nothing is in its way.
  const second = { namespaceSelector: nowhere };
  return [
    serviceWebhookConfiguration('MutatingWebhookConfiguration', 'mutate', target, {
      rules: [rule('', ['pods'], ['CREATE'])],
      reinvocationPolicy: 'IfNeeded',
      entries: [{ namespaceSelector }, second, ...(options.dormant ? [] : [policyReview(target)])],
    }),
    serviceWebhookConfiguration('ValidatingWebhookConfiguration', 'validate', target, {
      rules: workloads,
      entries: [{ namespaceSelector }, second],
    }),
  ];
}

/** The label of policies that are reviewed. The scenarios also store policies that a review would deny. */
export const reviewedLabel = { reviewed: 'yes' };

function policyReview(service: { readonly namespace: string; readonly name: string; readonly port: number }): object {
  return {
    name: 'review-policies.probewright.dev',
    clientConfig: { service: { ...service, path: '/review-policies' } },
    rules: [
      rule(
        'probewright.dev',
        ['probepolicies', 'clusterprobepolicies', 'probeexceptions'],
        ['CREATE', 'UPDATE', 'DELETE'],
      ),
    ],
    objectSelector: { matchLabels: reviewedLabel },
    // A test must notice when there is no answer.
    failurePolicy: 'Fail',
  };
}

/** Servers before 1.21 do not label namespaces with their names, which the selectors go by: then the tests do. */
export async function labelNamespaces(cluster: ControlPlane, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const path = `/api/v1/namespaces/${name}`;
    const { metadata } = await cluster.read<{ metadata: { labels?: Record<string, string> } }>(path);
    if (metadata.labels?.['kubernetes.io/metadata.name'] === name) continue;
    await cluster.kubectl(['label', 'namespace', name, `kubernetes.io/metadata.name=${name}`]);
  }
}

/** Grants count a moment after they were written; a replica's first requests must not come before. */
async function untilAllowed(cluster: ControlPlane, namespace: string, rules: WrittenRules): Promise<void> {
  const user = `system:serviceaccount:${namespace}:${serviceAccountName}`;
  for (const [index, one] of [rules.cluster.at(-1), rules.namespace.at(-1)].entries()) {
    if (one === undefined) continue;
    await waitUntil(`${user} has its rights`, () => isAllowed(cluster, user, one, index === 0 ? undefined : namespace));
  }
}

async function isAllowed(
  cluster: ControlPlane,
  user: string,
  one: PolicyRule,
  namespace: string | undefined,
): Promise<boolean> {
  const [group, resource, verb, name] = [one.apiGroups[0], one.resources[0], one.verbs[0], one.resourceNames?.[0]];
  const { body } = await cluster.request('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user, resourceAttributes: { group, resource, verb, name, namespace } },
  });
  return (JSON.parse(body) as { status: { allowed: boolean } }).status.allowed;
}

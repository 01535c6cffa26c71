/**
 * Proves that the webhooks are at work, from inside the cluster: asks the API server, as a dry run, to create a Deployment without faults, one with
 * a fault, and a Pod that an annotation gives a probe. Prints a line for each and says with its exit code whether all went as it should.
 *
 * `helm test` runs it in Probewright's own image, which has Node and nothing else: so it uses Node's own modules only.
 */
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

const env = (name, fallback) => process.env[name] || fallback;
const account = env('SERVICE_ACCOUNT_DIRECTORY', '/var/run/secrets/kubernetes.io/serviceaccount');
const namespace = env('TEST_NAMESPACE', 'default');
const enforcement = env('ENFORCEMENT', 'Deny');
const mutation = env('MUTATION', 'On');
const waitSeconds = Number(env('WAIT_SECONDS', '60'));

/** Fit for PodSecurity "restricted" and for quotas, so that nothing else in the namespace has anything against it. */
const podSpec = (container) => ({
  automountServiceAccountToken: false,
  securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [
    {
      name: 'app',
      image: 'registry.invalid/probewright-test:0',
      ports: [{ name: 'http', containerPort: 8080 }],
      resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { cpu: '10m', memory: '16Mi' } },
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
      ...container,
    },
  ],
});

const deployment = (name, port) => {
  const labels = { 'app.kubernetes.io/name': name };
  const container = { readinessProbe: { httpGet: { path: '/ready', port }, periodSeconds: 5 } };
  const template = { metadata: { labels }, spec: podSpec(container) };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: { replicas: 0, selector: { matchLabels: labels }, template },
  };
};

const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
const pods = `/api/v1/namespaces/${namespace}/pods`;

/** Nothing is stored: the API server does all but that. */
function create(path, object) {
  const options = {
    host: env('KUBERNETES_SERVICE_HOST', 'kubernetes.default.svc'),
    port: env('KUBERNETES_SERVICE_PORT', '443'),
    path: `${path}?dryRun=All`,
    method: 'POST',
    ca: readFileSync(`${account}/ca.crt`),
    headers: {
      authorization: `Bearer ${readFileSync(`${account}/token`, 'utf8').trim()}`,
      accept: 'application/json',
      'content-type': 'application/json',
    },
    timeout: 30_000,
  };
  return new Promise((resolve, reject) => {
    const asked = request(options, (answer) => {
      const chunks = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        let body = {};
        try {
          body = JSON.parse(text);
        } catch {
          body = { message: text };
        }
        resolve({ status: answer.statusCode, body, warnings: [answer.headers.warning ?? ''].flat().join('\n') });
      });
    });
    asked.on('timeout', () => asked.destroy(new Error('no answer from the API server within 30 s')));
    asked.on('error', reject);
    asked.end(JSON.stringify(object));
  });
}

const saysWhat = ({ status, body }) => `HTTP ${status}${body.message ? `: ${body.message}` : ''}`;

async function goodDeployment() {
  const answer = await create(deployments, deployment('probewright-test-good', 'http'));
  if (answer.status === 201) return { ok: true, detail: 'accepted, as it should be' };
  const hint =
    answer.status === 404
      ? `is there a namespace ${namespace}? tests.namespace names it`
      : 'a Deployment without faults must be accepted';
  return { ok: false, detail: `${saysWhat(answer)} (${hint})` };
}

async function badDeployment() {
  const answer = await create(deployments, deployment('probewright-test-bad', 'htpp'));
  // The other lines have an exception that can be pasted.
  const [message = ''] = String(answer.body.message ?? '').split('\n');
  const isDenied = answer.status === 403 && message.includes('probewright.dev') && message.includes('named-port');
  if (enforcement === 'Deny') {
    if (isDenied) return { ok: true, detail: `denied, as it should be: ${message}` };
    if (answer.status === 201) {
      const hint =
        'not checked: the webhook is not called (kubectl get validatingwebhookconfigurations: has it a caBundle, does its namespaceSelector match?), ' +
        'cannot be reached (failurePolicy Ignore hides that), or a policy lowers named-port';
      return { ok: false, detail: `accepted, though its probe names a port that it has not; ${hint}` };
    }
    return { ok: false, detail: saysWhat(answer) };
  }
  if (answer.status !== 201) return { ok: false, detail: `refused although enforcement is ${enforcement}: ${saysWhat(answer)}` };
  if (enforcement === 'Warn') {
    if (answer.warnings.includes('named-port')) return { ok: true, detail: 'accepted with a warning, as enforcement Warn says' };
    return { ok: false, detail: 'accepted without a warning: the webhook is not called, cannot be reached, or a policy lowers named-port' };
  }
  return { ok: true, detail: `accepted, as enforcement ${enforcement} says; that it was looked at shows in the audit log and metrics only` };
}

async function pod() {
  const metadata = {
    name: 'probewright-test',
    namespace,
    labels: { app: 'probewright-test' },
    annotations: { 'probewright.dev/liveness-endpoint': '/live', 'probewright.dev/containers': 'app' },
  };
  const answer = await create(pods, { apiVersion: 'v1', kind: 'Pod', metadata, spec: podSpec({}) });
  if (answer.status !== 201) return { ok: false, detail: saysWhat(answer) };
  const path = answer.body.spec?.containers?.[0]?.livenessProbe?.httpGet?.path;
  if (mutation !== 'On') {
    if (path === undefined) return { ok: true, detail: `left alone, as mutation ${mutation} says` };
    return { ok: false, detail: `was given a liveness probe although mutation is ${mutation}` };
  }
  if (path === '/live') return { ok: true, detail: 'was given the liveness probe that its annotation asks for' };
  const hint =
    'the webhook is not called (kubectl get mutatingwebhookconfigurations), cannot be reached, or a policy says annotations: Ignore (then set tests.mutation to false)';
  return { ok: false, detail: `was given no liveness probe; ${hint}` };
}

/** Right after an installation the webhooks may not be at work yet, and under Ignore that looks like consent: so what fails is asked again. */
async function prove(name, attempt, deadline) {
  for (;;) {
    const { ok, detail } = await attempt().catch((error) => ({ ok: false, detail: `the API server cannot be asked: ${error.message}` }));
    if (ok || Date.now() >= deadline) {
      console.log(`${ok ? 'ok  ' : 'FAIL'} ${name}: ${detail}`);
      return ok;
    }
    await sleep(1000);
  }
}

const steps = [
  ['a Deployment without faults', goodDeployment],
  ['a Deployment whose probe names a port that it has not', badDeployment],
  ...(env('TEST_MUTATION', 'true') === 'true' ? [['a Pod with an annotation for a probe', pod]] : []),
];
console.log(`in namespace ${namespace}, as dry runs; enforcement ${enforcement}, mutation ${mutation}`);
const deadline = Date.now() + waitSeconds * 1000;
const results = [];
for (const [name, attempt] of steps) results.push(await prove(name, attempt, deadline));
const failed = results.filter((ok) => !ok).length;
console.log(failed === 0 ? 'Probewright is at work.' : `${failed} of ${results.length} failed.`);
process.exit(failed === 0 ? 0 : 1);

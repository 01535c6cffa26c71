import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CHART } from '../../scripts/chart/chart-files.ts';
import { HOMEPAGE } from '../../src/engine/checks/violation.ts';
import { isJsonObject, type JsonObject } from '../../src/base/json/json-value.ts';
import { helm, IMAGE, isWithoutHelm, MONITORING_API, one, render, renderText, valuesFiles } from './helm.ts';

const apiVersions = [MONITORING_API];

function hasKey(value: unknown, wanted: string): boolean {
  if (Array.isArray(value)) return value.some((element) => hasKey(element, wanted));
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([key, member]) => key === wanted || hasKey(member, wanted));
}

/** The scalars in a value, in their order. */
function scalars(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(scalars);
  return isJsonObject(value) ? Object.values(value).flatMap(scalars) : [value];
}

describe.skipIf(isWithoutHelm('rendering.tools.test.ts'))('the chart, rendered', () => {
  it.each(valuesFiles())('with %s is fine by helm lint, and the same bytes twice', (file) => {
    helm(['lint', CHART, '--strict', '--namespace', 'probewright', '--kube-version', '1.36.0', '--values', file]);
    const rendering = { values: [file], apiVersions, crds: true };
    expect(renderText(rendering)).toBe(renderText(rendering));
  });

  it.each(valuesFiles())('with %s has no caBundle, no Secret, and no object twice', (file) => {
    const manifests = render({ values: [file], apiVersions });
    for (const manifest of manifests) {
      expect(manifest.kind).not.toBe('Secret');
      expect(hasKey(manifest, 'caBundle'), manifest.kind).toBe(false);
    }
    const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(['true', 'null', '007', '1e3'])('keeps the name %s a string wherever the name stands', (name) => {
    const rendered = (overrides: JsonObject): unknown[] => scalars(render({ overrides, apiVersions }));
    const named = (own: string): JsonObject => ({
      nameOverride: own,
      // The guard rails refuse a name that begins with a digit.
      fullnameOverride: /^\d/.test(own) ? 'probes' : own,
      serviceAccount: { name: own },
      observer: { enabled: true, serviceAccount: { name: own } },
      callers: { configMap: own },
      certificates: { mode: 'cert-manager', certManager: { issuerRef: { name: own, kind: 'ClusterIssuer' } } },
      monitoring: { serviceMonitor: { enabled: true }, prometheusRule: { enabled: true } },
      autoscaling: { enabled: true },
      clusterPolicy: { containers: ['*'] },
    });
    const typesWith = (own: string): string[] => rendered(named(own)).map((value) => typeof value);
    expect(typesWith(name)).toEqual(typesWith(/^\d/.test(name) ? '0a' : 'abcd'));
  });

  it('puts common labels and annotations on every object and on the Pods', () => {
    const manifests = render({
      crds: true,
      set: ['commonLabels.team=platform', 'commonAnnotations.owner=sre', 'autoscaling.enabled=true'],
      values: [`${CHART}/ci/monitoring-values.yaml`],
      apiVersions,
    });
    for (const { kind, metadata } of manifests) {
      expect(metadata.labels, kind).toMatchObject({ team: 'platform' });
      expect(metadata.annotations, kind).toMatchObject({ owner: 'sre' });
    }
    expect(one<JsonObject>(manifests, 'Deployment')).toMatchObject({
      spec: { template: { metadata: { labels: { team: 'platform' }, annotations: { owner: 'sre' } } } },
    });
  });

  it('does not let common annotations replace those that something depends on', () => {
    const commonAnnotations = {
      'helm.sh/hook': 'pre-install',
      'helm.sh/resource-policy': 'delete',
      'admissions.enforcer/disabled': 'false',
    };
    const manifests = render({ overrides: { commonAnnotations }, crds: true });
    const annotation = (kind: string, name: string): unknown =>
      manifests.find((manifest) => manifest.kind === kind)?.metadata.annotations?.[name];
    expect(annotation('Pod', 'helm.sh/hook')).toBe('test');
    expect(annotation('CustomResourceDefinition', 'helm.sh/resource-policy')).toBe('keep');
    expect(annotation('MutatingWebhookConfiguration', 'admissions.enforcer/disabled')).toBe('true');
  });

  it('does not let labels change what is selected by', () => {
    const manifests = render({
      overrides: { commonLabels: { 'app.kubernetes.io/name': 'x' }, podLabels: { 'app.kubernetes.io/instance': 'y' } },
    });
    const deployment = one<{ spec: { selector: { matchLabels: object }; template: { metadata: { labels: object } } } }>(
      manifests,
      'Deployment',
    );
    expect(deployment.spec.template.metadata.labels).toMatchObject(deployment.spec.selector.matchLabels);
  });

  it('brings the CustomResourceDefinitions as they were generated, to be kept unless told otherwise', () => {
    const kept = render({ crds: true }).filter(({ kind }) => kind === 'CustomResourceDefinition');
    const shipped = readdirSync(`${CHART}/files/crds`);
    expect(shipped.length).toBeGreaterThan(1);
    expect(kept.map(({ metadata }) => metadata.annotations)).toEqual(
      shipped.map(() => ({ 'helm.sh/resource-policy': 'keep' })),
    );
    for (const { metadata, ...rest } of kept) {
      const file = `${CHART}/files/crds/${metadata.name.replace('.probewright.dev', '')}.yaml`;
      expect({ ...rest, metadata: { name: metadata.name } }).toEqual(parse(readFileSync(file, 'utf8')));
    }
    const thrownAway = render({ set: ['crds.keep=false'], crds: true }).filter(
      ({ kind }) => kind === 'CustomResourceDefinition',
    );
    expect(thrownAway.map(({ metadata }) => metadata.annotations)).toEqual(shipped.map(() => undefined));
    expect(render({ set: ['crds.enabled=false'] }).filter(({ kind }) => kind === 'CustomResourceDefinition')).toEqual(
      [],
    );
  });
});

describe.skipIf(isWithoutHelm('rendering.tools.test.ts'))('the notes', () => {
  const notes = (...set: string[]): string => {
    const args = ['install', 'probewright', CHART, '--namespace', 'guard', '--dry-run=client', '--hide-secret'];
    args.push('--set', `image.repository=${IMAGE}`);
    const text = helm([...args, ...set.flatMap((setting) => ['--set', setting])]);
    return text.slice(text.lastIndexOf('NOTES:'));
  };

  const RESTRICTED = 'callers.configMap=webhook-callers';

  it('tell the proof and the way out, in at most 20 lines', () => {
    const text = notes(RESTRICTED);
    expect(text).toContain('\n  kubectl rollout status deployment probewright --namespace guard\n');
    expect(text).toContain('\n  helm test probewright --namespace guard --logs\n');
    expect(text).toContain(
      '\n  kubectl delete mutatingwebhookconfiguration/00-probewright validatingwebhookconfiguration/probewright\n',
    );
    expect(text).toContain(`${HOMEPAGE}/blob/main/docs/troubleshooting.md`);
    expect(text).not.toContain('WARNING');
  });

  it.each([
    [],
    ['observer.enabled=true', 'observer.dashboard.enabled=true'],
    ['library={redis}', 'replicas=1'],
    ['mutation=Audit'],
  ])('have at most 20 lines: case %#', (...set) => {
    const lines = notes(...set)
      .trim()
      .split('\n')
      .slice(1);
    expect(lines.length, lines.join('\n')).toBeLessThanOrEqual(20);
    expect(lines.filter((line) => line.length > 180)).toEqual([]);
  });

  it('warn when every Pod may call, and not when a NetworkPolicy or client certificates restrict the callers', () => {
    const warning = 'WARNING: every Pod can call the webhook port';
    expect(notes()).toContain(warning);
    expect(notes('networkPolicy.enabled=true')).toContain(warning);
    const policy = ['networkPolicy.enabled=true', 'networkPolicy.apiServerIngressCIDRs={10.0.0.1/32}'];
    expect([notes(RESTRICTED), notes(...policy)].filter((text) => text.includes('WARNING'))).toEqual([]);
  });

  it('have the first policy ready to paste, which is that of the docs, while no policy comes with the release', () => {
    const pasted = /kubectl apply --namespace \S+ --filename - <<'EOF'\n([\s\S]*?)^EOF$/m;
    const policy = pasted.exec(notes())?.[1];
    expect(policy).toBe(pasted.exec(readFileSync('docs/policies.md', 'utf8'))?.[1]);
    expect(notes()).toContain('No Pod gets probes yet: there is no policy.');
    expect(notes('library={redis}')).toContain('No Pod gets probes yet, but for the images of library: there is');
    expect(notes('mutation=Audit')).toContain('With mutation Audit, new Pods get no probes');
    expect(notes('clusterPolicy.kubernetesProbeEndpoints.readinessProbe=/readyz')).not.toContain('gets probes yet');
  });

  it('say how to open the page of the observer', () => {
    const page = ['observer.enabled=true', 'observer.dashboard.enabled=true', 'observer.dashboard.servicePort=8090'];
    expect(notes(...page)).toContain(
      '\n  kubectl port-forward --namespace guard service/probewright-observer 8080:8090\n',
    );
    expect(notes('observer.enabled=true')).toContain('set observer.dashboard.enabled to true');
    expect(notes()).not.toContain('observer');
  });

  it('warn of one replica, of missing definitions, and of a test that would prove nothing', () => {
    expect(notes('replicas=1')).toContain('WARNING: with one replica');
    expect(notes('replicas=0')).toContain('WARNING: replicas is 0');
    expect(notes('replicas=null')).toContain('WARNING: replicas is null');
    expect(notes('autoscaling.enabled=true', 'autoscaling.minReplicas=1')).toContain(
      'Set autoscaling.minReplicas to 2',
    );
    expect(notes('autoscaling.enabled=true', 'replicas=1', RESTRICTED)).not.toContain('WARNING');
    expect(notes('crds.enabled=false')).toContain('WARNING: crds.enabled is false');
    expect(notes('tests.namespace=guard')).toContain('WARNING: `helm test` has nothing to run');
    expect(notes('monitoring.serviceMonitor.enabled=true')).toContain('WARNING: ServiceMonitor');
  });
});

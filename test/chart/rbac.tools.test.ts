import { describe, expect, it } from 'vitest';
import { readWrittenRules, type PolicyRule, type WrittenRules } from '../e2e/written-rbac.ts';
import { isWithoutHelm, one, render } from './helm.ts';
import { rightsOf } from './rendered-rights.ts';

function renderedRules(set: string[]): WrittenRules {
  const manifests = render({ release: 'a', set });
  const rules = (kind: string, name: string): PolicyRule[] => one<{ rules: PolicyRule[] }>(manifests, kind, name).rules;
  return { cluster: rules('ClusterRole', 'a-probewright'), namespace: rules('Role', 'a-probewright') };
}

const names = { name: 'a-probewright', caSecret: 'a-probewright-ca' };

describe.skipIf(isWithoutHelm('rbac.tools.test.ts'))('what the chart grants', () => {
  it('is what files/rbac.yaml says, with own certificates', async () => {
    expect(renderedRules([])).toEqual(await readWrittenRules(names));
  });

  it('is what files/rbac.yaml says, with a Secret of the user', async () => {
    const set = ['certificates.mode=secret', 'certificates.secret.name=pair'];
    expect(renderedRules(set)).toEqual(await readWrittenRules({ ...names, tlsSecret: 'pair' }));
  });

  it('with cert-manager is neither about Secrets nor about webhook configurations', async () => {
    const { cluster, namespace } = await readWrittenRules(names);
    expect(renderedRules(['certificates.mode=cert-manager'])).toEqual({
      cluster: cluster.filter(({ apiGroups }) => !apiGroups.includes('admissionregistration.k8s.io')),
      namespace: namespace.filter(({ resources }) => !resources.includes('secrets')),
    });
  });

  it('is not about Services without facts.services', async () => {
    const { cluster, namespace } = await readWrittenRules(names);
    expect(renderedRules(['facts.services=false'])).toEqual({
      cluster: cluster.filter(({ resources }) => !resources.includes('services')),
      namespace,
    });
  });

  it('is not about StartupProfiles without facts.startupProfiles', async () => {
    const { cluster, namespace } = await readWrittenRules(names);
    expect(renderedRules(['facts.startupProfiles=false'])).toEqual({
      cluster: cluster.filter(({ resources }) => !resources.includes('startupprofiles')),
      namespace,
    });
  });

  it('lets the observer write StartupProfiles that the webhook does not read', () => {
    const verbs = (...set: string[]): readonly string[] =>
      one<{ rules: PolicyRule[] }>(
        render({ set: ['observer.enabled=true', 'facts.startupProfiles=false', ...set] }),
        'ClusterRole',
        'probewright-observer',
      ).rules.flatMap((rule) => (rule.resources.includes('startupprofiles') ? rule.verbs : []));
    expect(verbs()).toEqual(['get', 'create']);
    expect(verbs('observer.startups=false')).toEqual([]);
  });

  it('goes to the service account that the Pods run as', () => {
    for (const set of [[], ['serviceAccount.create=false', 'serviceAccount.name=other']]) {
      const manifests = render({ set });
      const name = set.length === 0 ? 'probewright' : 'other';
      expect(one(manifests, 'Deployment')).toMatchObject({
        spec: { template: { spec: { serviceAccountName: name } } },
      });
      const subjects = [{ kind: 'ServiceAccount', name, namespace: 'probewright' }];
      expect(one(manifests, 'ClusterRoleBinding')).toMatchObject({ subjects });
      expect(one(manifests, 'RoleBinding', 'probewright')).toMatchObject({ subjects });
    }
  });

  it('is nothing at all when it is granted elsewhere', () => {
    expect(render({ set: ['rbac.create=false'] }).filter(({ kind }) => /Role/.test(kind))).toEqual([]);
  });

  it('lets the account of `helm test` create what it tries, in one namespace', () => {
    const rights = (...set: string[]): string[] => {
      const manifests = render({ set: ['tests.namespace=shop', ...set] });
      return rightsOf(manifests, 'probewright-prove', 'probewright').map(
        ({ text, namespace }) => `${text} in ${namespace}`,
      );
    };
    expect(rights()).toEqual(['create deployments.apps in shop', 'create pods in shop']);
    expect(rights('tests.mutation=false')).toEqual(['create deployments.apps in shop']);
    expect(render({ set: ['tests.enabled=false'] }).filter(({ metadata }) => /-prove$/.test(metadata.name))).toEqual(
      [],
    );
  });
});

import { describe, expect, it } from 'vitest';
import { isControlled, looksLikeController } from '../../../src/webhook/review/trusted-controllers.ts';

const owned = { metadata: { ownerReferences: [{ kind: 'ReplicaSet', name: 'web', uid: 'u', controller: true }] } };
const defaults = { accounts: [], foreignServiceAccounts: true };
const ask = (userName: string, settings = {}, object: object = owned): boolean =>
  isControlled(
    { userName, namespace: 'apps', object: object as Record<string, unknown> },
    { ...defaults, ...settings },
  );

describe('a controller reference', () => {
  it.each(['system:kube-controller-manager', 'system:serviceaccount:kube-system:deployment-controller'])(
    'is believed of %s',
    (userName) => expect(ask(userName)).toBe(true),
  );

  it.each([
    'jane',
    '',
    'system:kube-controller-manager2',
    'system:serviceaccount:apps:builder',
    'system:serviceaccount:argo:argo-rollouts',
    'system:serviceaccount::builder',
    'system:serviceaccount:kube-system',
    'system:serviceaccount:kube-system:',
    'system:serviceaccount:other:a:b',
    'system:node:n1',
  ])('is not believed of "%s"', (userName) => expect(ask(userName)).toBe(false));

  describe('of a service account of another namespace', () => {
    const foreign = 'system:serviceaccount:argo:argo-rollouts';
    const ownedBy = (...apiVersions: readonly unknown[]): object => ({
      metadata: { ownerReferences: apiVersions.map((apiVersion) => ({ apiVersion, kind: 'Any', controller: true })) },
    });

    it.each(['argoproj.io/v1alpha1', 'jobset.x-k8s.io/v1alpha2', 'tekton.dev/v1'])(
      'is believed for %s',
      (apiVersion) => {
        expect(ask(foreign, {}, ownedBy(apiVersion))).toBe(true);
        expect(ask(foreign, { foreignServiceAccounts: false }, ownedBy(apiVersion))).toBe(false);
        expect(ask('system:serviceaccount:apps:builder', {}, ownedBy(apiVersion))).toBe(false);
      },
    );

    it.each(['v1', 'apps/v1', 'batch/v1', 'policy/v1', 'gateway.networking.k8s.io/v1', '', undefined, 7])(
      'is not believed for %s, which is of Kubernetes, unless the account is listed',
      (apiVersion) => {
        expect(ask(foreign, {}, ownedBy(apiVersion))).toBe(false);
        expect(ask(foreign, {}, ownedBy('argoproj.io/v1alpha1', apiVersion))).toBe(false);
        expect(ask(foreign, { accounts: [foreign] }, ownedBy(apiVersion))).toBe(true);
        expect(ask(foreign, { accounts: [foreign], foreignServiceAccounts: false }, ownedBy(apiVersion))).toBe(true);
      },
    );
  });

  it('of a service account that does not count makes the account look like a controller, when it creates', () => {
    const looks = (userName: string, operation = 'CREATE', object: object = owned): boolean =>
      looksLikeController(
        { userName, namespace: 'apps', operation, object: object as Record<string, unknown> },
        defaults,
      );
    expect(looks('system:serviceaccount:argo:argo-rollouts')).toBe(true);
    expect(looks('system:serviceaccount:apps:operator')).toBe(true);
    expect(looks('system:serviceaccount:argo:argo-rollouts', 'UPDATE')).toBe(false);
    expect(looks('system:serviceaccount:argo:argo-rollouts', 'CREATE', { metadata: {} })).toBe(false);
    expect(looks('system:serviceaccount:kube-system:job-controller')).toBe(false);
    expect(looks('jane')).toBe(false);
  });

  it('is believed of named accounts, and of those that begin as a name with a star does', () => {
    const settings = { accounts: ['ci-bot', 'system:serviceaccount:apps:operator-*'] };
    expect(ask('ci-bot', settings)).toBe(true);
    expect(ask('ci-bot-2', settings)).toBe(false);
    expect(ask('system:serviceaccount:apps:operator-1', settings)).toBe(true);
    expect(ask('system:serviceaccount:apps:builder', settings)).toBe(false);
  });

  it('has to say that its owner is the controller', () => {
    expect(ask('system:kube-controller-manager', {}, { metadata: {} })).toBe(false);
    expect(
      ask(
        'system:kube-controller-manager',
        {},
        { metadata: { ownerReferences: [{ kind: 'ReplicaSet', name: 'web' }] } },
      ),
    ).toBe(false);
  });
});

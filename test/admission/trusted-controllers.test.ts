import { describe, expect, it } from 'vitest';
import { isControlled } from '../../src/admission/trusted-controllers.ts';

const owned = { metadata: { ownerReferences: [{ kind: 'ReplicaSet', name: 'web', uid: 'u', controller: true }] } };
const defaults = { accounts: [], foreignServiceAccounts: true };
const ask = (userName: string, settings = {}, object: object = owned): boolean =>
  isControlled(
    { userName, namespace: 'apps', object: object as Record<string, unknown> },
    { ...defaults, ...settings },
  );

describe('a controller reference', () => {
  it.each([
    'system:kube-controller-manager',
    'system:serviceaccount:kube-system:deployment-controller',
    'system:serviceaccount:argo:argo-rollouts',
  ])('is believed of %s', (userName) => {
    expect(ask(userName)).toBe(true);
  });

  it.each([
    'jane',
    '',
    'system:kube-controller-manager2',
    'system:serviceaccount:apps:builder',
    'system:serviceaccount::builder',
    'system:serviceaccount:kube-system',
    'system:serviceaccount:kube-system:',
    'system:serviceaccount:other:a:b',
    'system:node:n1',
  ])('is not believed of "%s"', (userName) => {
    expect(ask(userName)).toBe(false);
  });

  it('of a service account of another namespace is not believed when the settings say so', () => {
    const settings = { foreignServiceAccounts: false };
    expect(ask('system:serviceaccount:argo:argo-rollouts', settings)).toBe(false);
    expect(ask('system:serviceaccount:kube-system:deployment-controller', settings)).toBe(true);
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

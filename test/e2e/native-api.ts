import type { ControlPlane } from './control-plane.ts';

/** Why an API server can have no native policy; undefined for one that has MutatingAdmissionPolicy v1. */
export async function whyNoNativePolicy({
  read,
  version,
}: Pick<ControlPlane, 'read' | 'version'>): Promise<string | undefined> {
  const { resources } = await read<{ resources: { name: string }[] }>('/apis/admissionregistration.k8s.io/v1');
  const isServed = resources.some(({ name }) => name === 'mutatingadmissionpolicies');
  return isServed ? undefined : `${version} has no MutatingAdmissionPolicy v1: it is on by default since 1.36`;
}

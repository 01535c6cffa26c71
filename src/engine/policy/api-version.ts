/** The API that policies and exceptions are written in. */
export const POLICY_API_VERSION = 'probewright.dev/v1alpha1';

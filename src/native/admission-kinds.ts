/** The API group and version of the policies that the API server evaluates. */
export const ADMISSION_API = 'admissionregistration.k8s.io/v1';

/** The kinds of the exported objects with v1, and the version of Kubernetes that has it on by default. */
export const SERVED_SINCE = { MutatingAdmissionPolicy: '1.36', ValidatingAdmissionPolicy: '1.30' } as const;
export type AdmissionKind = keyof typeof SERVED_SINCE;

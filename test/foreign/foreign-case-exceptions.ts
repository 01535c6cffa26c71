const ANY_UPDATE =
  'Gatekeeper lets every update of the Pod through; we let through what the old object had already, and the case has no old object.';
const HOOK = "The host is in a lifecycle hook; we judge probes and leave hooks to Pod Security's baseline level.";
const NO_HANDLER = 'A probe of `{}` has no handler, and no API server accepts it, so valid-probe refuses it.';

/**
 * Cases of other tools' test suites with which we do not agree, by id, and why, in one sentence. docs/comparison.md prints this table, and
 * test/foreign/foreign-cases.tools.test.ts fails for a difference that is not listed and for an entry that does not differ any more.
 */
export const FOREIGN_CASE_EXCEPTIONS: Readonly<Record<string, string>> = {
  'gatekeeper/requiredprobes/suite/update': ANY_UPDATE,
  'gatekeeper/requiredprobes/unit/update': ANY_UPDATE,
  'gatekeeper/host-probes-lifecycle/suite/update': ANY_UPDATE,
  'gatekeeper/host-probes-lifecycle/unit/update': ANY_UPDATE,
  'gatekeeper/host-probes-lifecycle/suite/example-disallowed-lifecycle-poststart': HOOK,
  'gatekeeper/host-probes-lifecycle/suite/example-disallowed-lifecycle-prestop': HOOK,
  'gatekeeper/host-probes-lifecycle/unit/input_container_lifecycle_with_host_not_allowed': HOOK,
  'gatekeeper/host-probes-lifecycle/unit/input_container_prestop_with_host_not_allowed': HOOK,
  'gatekeeper/host-probes-lifecycle/unit/exempted_image':
    'We know no exemption by image; a policy that names the container may turn probe-host off for it.',
  'polaris/TestValidateHealthChecks/probes-required-configured': NO_HANDLER,
  'polaris/TestValidateHealthChecks/probes-configured-but-not-required': NO_HANDLER,
  'kube-score/TestProbesMultipleContainers':
    'kube-score is content with one probe of each kind anywhere in the Pod; we ask every container for its own.',
  'kubewarden/probes-policy/lib/accept_pod_init_containers_with_probes':
    'The Pod has probes on a plain init container, and no API server accepts those, so valid-probe refuses them.',
  'psa/hostProbesAndHostLifecycle/unit/invalid-poststart-tcpsocket-host': HOOK,
  'psa/hostProbesAndHostLifecycle/unit/invalid-prestop-httpget-host': HOOK,
  'psa/hostProbesAndHostLifecycle/baseline/fail/hostprobesandhostlifecycle2': HOOK,
  'psa/hostProbesAndHostLifecycle/restricted/fail/hostprobesandhostlifecycle2': HOOK,
  'popeye/TestContainerCheckProbes/cool': NO_HANDLER,
};

/** A spec that uses every field of the design. */
export const FULL_SPEC = {
  workloadSelector: {
    matchLabels: { app: 'static' },
    matchExpressions: [{ key: 'tier', operator: 'In', values: ['web'] }],
  },
  containers: ['app'],
  port: 'http',
  kubernetesProbeEndpoints: { startupProbe: '/healthcheck/ready', livenessProbe: '/healthcheck/live' },
  probes: {
    livenessProbe: {
      periodSeconds: 5,
      failureThreshold: 3,
      timeoutSeconds: 30,
      terminationGracePeriodSeconds: 10,
      successThreshold: 1,
    },
    readinessProbe: { tcpSocket: { port: 5432 } },
  },
  slowStart: { startupSeconds: 300, fromInitialDelaySeconds: 30 },
  checks: {
    'named-port': { action: 'Deny' },
    'probe-bounds': { action: 'Warn', livenessProbe: { periodSeconds: { minimum: 5 } } },
  },
};

/** Likewise, with what only a ClusterProbePolicy has. */
export const FULL_CLUSTER_SPEC = {
  ...FULL_SPEC,
  namespaceSelector: {},
  priority: -1,
  annotations: 'Ignore',
  checks: { 'named-port': { action: 'Warn', floor: 'Audit' } },
};

/** Specs of a ProbePolicy with one problem each, and what is said about it. */
export const REFUSED_SPECS: readonly (readonly [spec: object, problem: string])[] = [
  [{ containers: 'app' }, 'spec.containers: must be a list; write ["app"]'],
  [{ containers: [] }, 'spec.containers: must name at least one container; leave the field out for the default'],
  [{ containers: ['a', 'a'] }, 'spec.containers[1]: "a" is listed twice'],
  [
    { containers: ['App_Main'] },
    'spec.containers[0]: "App_Main" is not a container name: lower-case letters, digits and "-", such as "app"',
  ],
  [{ containers: ['*', 'a'] }, 'spec.containers: "*" is every application container: list it alone'],
  [{ port: 70_000 }, 'spec.port: must be at most 65535, not 70000'],
  [{ port: '8080' }, 'spec.port: must be a number without quotes: 8080'],
  [
    { port: 'HTTP' },
    'spec.port: "HTTP" is not a port name: at most 15 of a-z, 0-9 and single inner hyphens, with at least one letter',
  ],
  [
    { kubernetesProbeEndpoints: { liveness: '/x' } },
    'spec.kubernetesProbeEndpoints.liveness: unknown probe; did you mean "livenessProbe"?',
  ],
  [
    { probes: { livenessProbe: { successThreshold: 2 } } },
    'spec.probes.livenessProbe.successThreshold: must be 1 for a livenessProbe, not 2',
  ],
  [
    { probes: { livenessProbe: { periodSeconds: 0 } } },
    'spec.probes.livenessProbe.periodSeconds: must be at least 1, not 0',
  ],
  [
    { probes: { livenessProbe: { period: 5 } } },
    'spec.probes.livenessProbe.period: unknown field; did you mean "periodSeconds"?',
  ],
  [
    { probes: { livenessProbe: { gracefully: 5 } } },
    'spec.probes.livenessProbe.gracefully: unknown field; known here: exec, httpGet, tcpSocket, grpc, initialDelaySeconds, timeoutSeconds, periodSeconds, successThreshold, failureThreshold, terminationGracePeriodSeconds, disabled',
  ],
  [
    { probes: { livenessProbe: { periodSecond: 5 } } },
    'spec.probes.livenessProbe.periodSecond: unknown field; did you mean "periodSeconds"?',
  ],
  [
    { probes: { readinessProbe: { terminationGracePeriodSeconds: 5 } } },
    'spec.probes.readinessProbe.terminationGracePeriodSeconds: must not be set for a readinessProbe',
  ],
  [
    { probes: { readinessProbe: { httpGet: { path: '/' }, exec: { command: ['x'] } } } },
    'spec.probes.readinessProbe: must have one handler, not exec and httpGet',
  ],
  [
    { probes: { readinessProbe: { tcpSocket: {} } } },
    "spec.probes.readinessProbe.tcpSocket.port: must be a port's number or name, not nothing",
  ],
  [
    { probes: { readinessProbe: { grpc: { port: 'grpc' } } } },
    'spec.probes.readinessProbe.grpc.port: must be a whole number, not "grpc"',
  ],
  [
    { probes: { readinessProbe: { exec: { command: [' '] } } } },
    'spec.probes.readinessProbe.exec.command[0]: must name the program to run',
  ],
  [
    { probes: { readinessProbe: { httpGet: { scheme: 'https' } } } },
    'spec.probes.readinessProbe.httpGet.scheme: must be HTTP or HTTPS, not "https"; did you mean "HTTPS"?',
  ],
  [
    { kubernetesProbeEndpoints: { livenessProbe: '/x' }, probes: { livenessProbe: { exec: { command: ['x'] } } } },
    'spec.kubernetesProbeEndpoints.livenessProbe: is an HTTP path, but the same policy gives the probe an exec handler',
  ],
  [
    { kubernetesProbeEndpoints: { livenessProbe: '/x' }, probes: { livenessProbe: null } },
    'spec.probes.livenessProbe: null removes the probe, but the same policy also describes it',
  ],
  [
    { probes: { livenessProbe: { disabled: true, periodSeconds: 5 } } },
    'spec.probes.livenessProbe.disabled: true removes the probe, but the same policy also describes it',
  ],
  [
    { kubernetesProbeEndpoints: { livenessProbe: '/x' }, probes: { livenessProbe: { disabled: true } } },
    'spec.probes.livenessProbe.disabled: true removes the probe, but the same policy also describes it',
  ],
  [
    { probes: { livenessProbe: { disabled: 'yes' } } },
    'spec.probes.livenessProbe.disabled: must be true or false, not "yes"',
  ],
  [
    { probes: { readinessProbe: { httpGet: { host: 'a b' } } } },
    'spec.probes.readinessProbe.httpGet.host: "a b" is no host name or IP address',
  ],
  [{ slowStart: { learned: true } }, 'spec.slowStart.learned: must be an object, not true'],
  [{ slowStart: { learned: { margins: 2 } } }, 'spec.slowStart.learned.margins: unknown field; did you mean "margin"?'],
  [{ slowStart: { learned: { margin: 0.9 } } }, 'spec.slowStart.learned.margin: must be at least 1, not 0.9'],
  [{ slowStart: { learned: { margin: '1.5' } } }, 'spec.slowStart.learned.margin: must be a number, not "1.5"'],
  [
    { slowStart: { learned: { minimumStarts: 31 } } },
    'spec.slowStart.learned.minimumStarts: must be at most 30, not 31',
  ],
  [
    { slowStart: { learned: { minimumSeconds: 60, maximumSeconds: 30 } } },
    'spec.slowStart.learned.minimumSeconds: must be at most maximumSeconds (30), not 60',
  ],
  [{ slowStart: { startupSecond: 5 } }, 'spec.slowStart.startupSecond: unknown field; did you mean "startupSeconds"?'],
  [
    { workloadSelector: { matchLabels: { app: true } } },
    'spec.workloadSelector.matchLabels.app: must be a string, not true; put it in quotes',
  ],
  [
    { workloadSelector: { matchExpressions: [{ key: 'a', operator: 'in', values: ['b'] }] } },
    'spec.workloadSelector.matchExpressions[0].operator: must be In or NotIn or Exists or DoesNotExist, not "in"; did you mean "In"?',
  ],
  [
    { workloadSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
    'spec.workloadSelector.matchExpressions[0].values: must have at least one value with operator In',
  ],
  [
    { workloadSelector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] } },
    'spec.workloadSelector.matchExpressions[0].values: must be left out with operator Exists',
  ],
  [{ priority: 3 }, 'spec.priority: only a ClusterProbePolicy has this field'],
  [{ checks: { 'named-prt': { action: 'Deny' } } }, 'spec.checks.named-prt: unknown check; did you mean "named-port"?'],
  [{ checks: { 'named-port': 'Deny' } }, 'spec.checks.named-port: must be an object; write { action: Deny }'],
  [
    { checks: { 'named-port': { action: 'deny' } } },
    'spec.checks.named-port.action: must be Off or Audit or Warn or Deny, not "deny"; did you mean "Deny"?',
  ],
  [
    { checks: { 'named-port': { floor: 'Deny' } } },
    'spec.checks.named-port.floor: only a ClusterProbePolicy may set a floor',
  ],
  [
    { checks: { 'startup-budget': { minimumSecond: 5 } } },
    'spec.checks.startup-budget.minimumSecond: unknown field; did you mean "minimumSeconds"?',
  ],
  [
    { checks: { 'probe-bounds': { livenessProbe: { periodSeconds: { minimum: 9, maximum: 5 } } } } },
    'spec.checks.probe-bounds.livenessProbe.periodSeconds: minimum 9 is larger than maximum 5: no value would do',
  ],
  [
    { checks: { 'probe-handler': { allowed: ['http'] } } },
    'spec.checks.probe-handler.allowed[0]: must be httpGet or tcpSocket or grpc or exec, not "http"; did you mean "httpGet"?',
  ],
];

import { describe, expect, it } from 'vitest';
import { cases } from '../../support/cases.ts';
import { FieldPlace, formatPath } from '../../../src/base/json/field-path.ts';
import { defaultedPodSpec } from '../../../src/engine/probe/api-defaults.ts';
import { apiCauses, deploymentCauses, type PodSpecPlace } from '../../../src/engine/probe/api-rules.ts';
import { decodeProblem } from '../../../src/engine/probe/decode.ts';
import { runs } from '../../support/runs.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

import fc from 'fast-check';

const SPEC = new FieldPlace([], 'spec');

/** The causes of a Pod spec as one line each: path, reason without its prefix, message. */
function causesOf(podSpec: JsonObject, place: PodSpecPlace = 'pod'): string[] {
  return apiCauses(defaultedPodSpec(podSpec), SPEC, place).map(
    ({ path, reason, message }) => `${formatPath(path)} ${reason.replace('FieldValue', '')} ${message}`,
  );
}

/** The causes of one container, with paths from the container on. */
function containerCauses(container: JsonObject, list = 'containers'): string[] {
  return causesOf({ [list]: [container] }, 'pod-update').map((line) => line.replace(`spec.${list}[0].`, ''));
}

/** The causes of a liveness probe, with paths from the probe on; `.` is the probe itself. */
function livenessCauses(probe: JsonObject): string[] {
  return containerCauses({ livenessProbe: probe }).map((line) => line.replace(/^livenessProbe\.?/, '.'));
}

const TCP = { tcpSocket: { port: 6379 } };

describe('a handler', () => {
  it.each([[{}], [{ periodSeconds: 5 }], [{ httpGet: null }], [{ httpget: { port: 80 } }]])(
    'is missing from %j',
    (probe) => {
      expect(livenessCauses(probe)).toEqual(['. Required Required value: must specify a handler type']);
    },
  );

  it('stands alone: the first is looked into, the others are forbidden whatever they say', () => {
    const probe = { grpc: { port: 0 }, tcpSocket: { port: -1 }, httpGet: { port: 99_999 }, exec: { command: [] } };
    expect(livenessCauses(probe)).toEqual([
      '.exec.command Required Required value',
      '.httpGet Forbidden Forbidden: may not specify more than 1 handler type',
      '.tcpSocket Forbidden Forbidden: may not specify more than 1 handler type',
      '.grpc Forbidden Forbidden: may not specify more than 1 handler type',
    ]);
  });

  it('may be null beside another one', () => {
    expect(livenessCauses({ exec: null, ...TCP })).toEqual([]);
  });

  it.each([[{}], [{ command: null }], [{ command: [] }]])('of kind exec needs a command: %j', (exec) => {
    expect(livenessCauses({ exec })).toEqual(['.exec.command Required Required value']);
  });

  it.each([[['']], [[' ']], [[null]]])('of kind exec may have the command %j', (command) => {
    expect(livenessCauses({ exec: { command } })).toEqual([]);
  });

  it('of kind httpGet takes any path and host', () => {
    expect(livenessCauses({ httpGet: { port: 80, path: 'http://x/%zz\n', host: 'no host' } })).toEqual([]);
  });

  it.each(['https', 'HTTP ', 'H2C'])('of kind httpGet knows no scheme %j', (scheme) => {
    expect(livenessCauses({ httpGet: { port: 80, scheme } })).toEqual([
      `.httpGet.scheme NotSupported Unsupported value: "${scheme}": supported values: "HTTP", "HTTPS"`,
    ]);
  });

  it('of kind httpGet shows a scheme as JSON', () => {
    expect(livenessCauses({ httpGet: { port: 80, scheme: '<é\u{7}' } })[0]).toContain('value: "\\u003cé\\u0007": supp');
  });

  it('of kind httpGet checks the names of headers, each on its own, and no values', () => {
    const httpHeaders = [{ name: 'X_Real', value: 'a\r\nb' }, { name: 'X-Real', value: '\0' }, { value: '1' }, null];
    const problem =
      "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";
    expect(livenessCauses({ httpGet: { port: 80, httpHeaders } })).toEqual([
      `.httpGet.httpHeaders Invalid Invalid value: "X_Real": ${problem}`,
      `.httpGet.httpHeaders Invalid Invalid value: "": ${problem}`,
      `.httpGet.httpHeaders Invalid Invalid value: "": ${problem}`,
    ]);
  });

  it.each([undefined, null, 'Plaintext', 'TLS'])('of kind grpc may have the mode %j', (mode) => {
    expect(livenessCauses({ grpc: { port: 50_051, mode } })).toEqual([]);
  });

  it.each(['', 'tls', 'PLAINTEXT'])('of kind grpc knows no mode %j', (mode) => {
    expect(livenessCauses({ grpc: { port: 0, mode } })).toEqual([
      '.grpc.port Invalid Invalid value: 0: must be between 1 and 65535, inclusive',
      `.grpc.mode NotSupported Unsupported value: "${mode}": supported values: "Plaintext", "TLS"`,
    ]);
  });

  it.each([undefined, null, 'HTTP1', 'HTTP2'])('of kind httpGet may have the protocol %j', (protocol) => {
    expect(livenessCauses({ httpGet: { port: 80, protocol } })).toEqual([]);
    expect(livenessCauses({ httpGet: { port: 80, scheme: 'HTTP', host: '', protocol } })).toEqual([]);
  });

  it.each(['', 'http2', 'HTTP3'])('of kind httpGet knows no protocol %j', (protocol) => {
    expect(livenessCauses({ httpGet: { port: 80, scheme: 'HTTPS', host: 'a', protocol } })).toEqual([
      `.httpGet.protocol NotSupported Unsupported value: "${protocol}": supported values: "HTTP1", "HTTP2"`,
    ]);
  });

  it('of kind httpGet has no HTTP2 with scheme HTTPS or a host', () => {
    const causes = (others: JsonObject): string[] =>
      livenessCauses({ httpGet: { port: 80, protocol: 'HTTP2', ...others } });
    const invalid = '.httpGet.protocol Invalid Invalid value: "HTTP2": HTTP2 cannot be combined with';
    expect(causes({ scheme: 'HTTPS', host: 'a' })).toEqual([`${invalid} scheme HTTPS`]);
    expect(causes({ host: 'a' })).toEqual([`${invalid} host`]);
    expect(causes({ protocol: 'HTTP1', scheme: 'HTTPS', host: 'a' })).toEqual([]);
  });
});

describe('a port', () => {
  it.each([0, -1, 65_536, 2_147_483_647, -2_147_483_648])('is not %i', (port) => {
    const outside = `Invalid Invalid value: ${port}: must be between 1 and 65535, inclusive`;
    expect(livenessCauses({ httpGet: { port } })).toEqual([`.httpGet.port ${outside}`]);
    expect(livenessCauses({ tcpSocket: { port } })).toEqual([`.tcpSocket.port ${outside}`]);
    expect(livenessCauses({ grpc: { port } })).toEqual([`.grpc.port ${outside}`]);
  });

  it.each([undefined, null, -0])('counts as 0 when it is %j', (port) => {
    expect(livenessCauses({ tcpSocket: { port } })[0]).toContain('Invalid value: 0: must');
  });

  it.each([1, 65_535, 'http', 'a', '8080-tcp', 'x12345678901234'])('may be %j', (port) => {
    expect(livenessCauses({ tcpSocket: { port } })).toEqual([]);
  });

  it.each(cases('api-rules', 'port names') as [string, string[]][])('has no name like %j', (port, problems) => {
    expect(livenessCauses({ tcpSocket: { port } })).toEqual(
      problems.map((problem) => `.tcpSocket.port Invalid Invalid value: "${port}": ${problem}`),
    );
  });

  it('has a name of at most 15 bytes, and eight umlauts are 16', () => {
    expect(livenessCauses({ tcpSocket: { port: 'ü'.repeat(8) } })[0]).toContain('no more than 15 characters');
    expect(livenessCauses({ tcpSocket: { port: 'ü'.repeat(7) } })[0]).not.toContain('no more than 15 characters');
  });

  it('is shown with what cannot be seen escaped as Go does', () => {
    const port = 'a"\\\n\x01\x7f\u00a0\u{e0001}😀\ud800';
    expect(livenessCauses({ tcpSocket: { port } })[0]).toContain(
      String.raw`value: "a\"\\\n\x01\x7f\u00a0\U000e0001😀` + '\ufffd": must',
    );
  });
});

describe('the numbers of a probe', () => {
  it('are not negative, in the API server’s order and not the document’s', () => {
    const probe = { failureThreshold: -1, periodSeconds: -2, timeoutSeconds: -3, initialDelaySeconds: -4, ...TCP };
    expect(livenessCauses(probe)).toEqual([
      '.initialDelaySeconds Invalid Invalid value: -4: must be greater than or equal to 0',
      '.timeoutSeconds Invalid Invalid value: -3: must be greater than or equal to 0',
      '.periodSeconds Invalid Invalid value: -2: must be greater than or equal to 0',
      '.failureThreshold Invalid Invalid value: -1: must be greater than or equal to 0',
    ]);
  });

  it('have no upper bound', () => {
    const most = 2_147_483_647;
    expect(livenessCauses({ ...TCP, initialDelaySeconds: most, periodSeconds: most, failureThreshold: most })).toEqual(
      [],
    );
  });

  it('ask for one success of a liveness or startup probe, and any number of a readiness probe', () => {
    const probe = { ...TCP, successThreshold: 4 };
    expect(containerCauses({ startupProbe: probe, readinessProbe: probe, livenessProbe: probe })).toEqual([
      'livenessProbe.successThreshold Invalid Invalid value: 4: must be 1',
      'startupProbe.successThreshold Invalid Invalid value: 4: must be 1',
    ]);
  });

  it('are wrong twice when successThreshold is negative', () => {
    expect(livenessCauses({ ...TCP, successThreshold: -1 })).toEqual([
      '.successThreshold Invalid Invalid value: -1: must be greater than or equal to 0',
      '.successThreshold Invalid Invalid value: -1: must be 1',
    ]);
  });

  it('have a grace period above 0 if any', () => {
    expect(livenessCauses({ ...TCP, terminationGracePeriodSeconds: null })).toEqual([]);
    expect(livenessCauses({ ...TCP, terminationGracePeriodSeconds: 0 })).toEqual([
      '.terminationGracePeriodSeconds Invalid Invalid value: 0: must be greater than 0',
    ]);
  });

  it('have no grace period in a readiness probe', () => {
    const readinessProbe = { ...TCP, terminationGracePeriodSeconds: -7 };
    expect(containerCauses({ readinessProbe })).toEqual([
      'readinessProbe.terminationGracePeriodSeconds Invalid Invalid value: -7: must be greater than 0',
      'readinessProbe.terminationGracePeriodSeconds Invalid Invalid value: -7: must not be set for readinessProbes',
    ]);
  });
});

describe('an init container', () => {
  it.each([undefined, null, 'Never', 'OnFailure'])(
    'with restartPolicy %j has neither probes nor hooks',
    (restartPolicy) => {
      const container = { restartPolicy, livenessProbe: {}, readinessProbe: TCP, startupProbe: null, lifecycle: {} };
      expect(containerCauses(container, 'initContainers')).toEqual([
        'lifecycle Forbidden Forbidden: may not be set for init containers without restartPolicy=Always',
        'livenessProbe Forbidden Forbidden: may not be set for init containers without restartPolicy=Always',
        'readinessProbe Forbidden Forbidden: may not be set for init containers without restartPolicy=Always',
      ]);
    },
  );

  it('that restarts always is a sidecar, and its probes are validated', () => {
    const sidecar = { restartPolicy: 'Always', startupProbe: { grpc: {} }, readinessProbe: TCP };
    expect(containerCauses(sidecar, 'initContainers')).toEqual([
      'startupProbe.grpc.port Invalid Invalid value: 0: must be between 1 and 65535, inclusive',
    ]);
  });

  it('has a restartPolicy that exists, and is plain otherwise', () => {
    expect(containerCauses({ restartPolicy: 'always', livenessProbe: TCP }, 'initContainers')).toEqual([
      'restartPolicy NotSupported Unsupported value: "always": supported values: "Always", "Never", "OnFailure"',
      'livenessProbe Forbidden Forbidden: may not be set for init containers without restartPolicy=Always',
    ]);
  });
});

describe('an ephemeral container', () => {
  it('has no probe, and what is inside is not looked into', () => {
    const container = { livenessProbe: { httpGet: { port: 0 } }, startupProbe: TCP, ports: [], resources: {} };
    expect(containerCauses(container, 'ephemeralContainers')).toEqual([
      'ports Forbidden Forbidden: cannot be set for an Ephemeral Container',
      'livenessProbe Forbidden Forbidden: cannot be set for an Ephemeral Container',
      'startupProbe Forbidden Forbidden: cannot be set for an Ephemeral Container',
    ]);
  });

  it('comes to a running Pod only', () => {
    const podSpec = { containers: [{}], ephemeralContainers: [{ name: 'shell' }] };
    expect(causesOf(podSpec)).toEqual(['spec.ephemeralContainers Forbidden Forbidden: cannot be set on create']);
    expect(causesOf(podSpec, 'template')).toEqual([
      'spec.ephemeralContainers Forbidden Forbidden: ephemeral containers not allowed in pod template',
    ]);
    expect(causesOf(podSpec, 'pod-update')).toEqual([]);
  });
});

describe('what probes lean on', () => {
  it('ports with names of their own', () => {
    const ports = [
      { name: 'web', containerPort: 80 },
      { name: 'web', containerPort: 81 },
      { name: 'Web', containerPort: 70_000 },
      { protocol: 'tcp', hostPort: -1 },
    ];
    expect(containerCauses({ ports })).toEqual([
      'ports[1].name Duplicate Duplicate value: "web"',
      'ports[2].name Invalid Invalid value: "Web": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      'ports[2].containerPort Invalid Invalid value: 70000: must be between 1 and 65535, inclusive',
      'ports[3].containerPort Required Required value',
      'ports[3].hostPort Invalid Invalid value: -1: must be between 1 and 65535, inclusive',
      'ports[3].protocol NotSupported Unsupported value: "tcp": supported values: "SCTP", "TCP", "UDP"',
    ]);
  });

  it('hooks, whose handlers are the probes’', () => {
    const lifecycle = { postStart: { sleep: { seconds: 1 }, exec: {} }, preStop: { grpc: { port: 1 } } };
    expect(containerCauses({ lifecycle })).toEqual([
      'lifecycle.postStart.exec.command Required Required value',
      'lifecycle.postStart.sleep Forbidden Forbidden: may not specify more than 1 handler type',
      'lifecycle.preStop Required Required value: must specify a handler type',
    ]);
  });

  it('restart rules beside a restartPolicy of the container', () => {
    const rule = { action: 'Restart', exitCodes: { operator: 'In', values: [42] } };
    expect(containerCauses({ restartPolicyRules: [rule] })).toEqual([
      'restartPolicy Required Required value: must specify restartPolicy when restart rules are used',
    ]);
    expect(
      containerCauses({ restartPolicy: 'Never', restartPolicyRules: [rule, {}, { ...rule, action: 'Stop' }] }),
    ).toEqual([
      'restartPolicyRules[1].action NotSupported Unsupported value: "": supported values: "Restart", "RestartAllContainers"',
      'restartPolicyRules[1].exitCodes Required Required value: must be specified',
      'restartPolicyRules[2].action NotSupported Unsupported value: "Stop": supported values: "Restart", "RestartAllContainers"',
    ]);
  });

  it.each<[PodSpecPlace, string, string[]]>([
    ['pod', 'Never', []],
    ['template', 'Never', []],
    ['pod', 'Once', ['NotSupported Unsupported value: "Once": supported values: "Always", "OnFailure", "Never"']],
    ['forever', 'Always', []],
    ['forever', 'OnFailure', ['NotSupported Unsupported value: "OnFailure": supported values: "Always"']],
    [
      'forever',
      'Once',
      [
        'NotSupported Unsupported value: "Once": supported values: "Always", "OnFailure", "Never"',
        'NotSupported Unsupported value: "Once": supported values: "Always"',
      ],
    ],
    ['completion', 'OnFailure', []],
    ['completion', '', ['Required Required value: valid values: "OnFailure", "Never"']],
  ])('the restartPolicy of a %s that says %j', (place, restartPolicy, causes) => {
    expect(causesOf({ restartPolicy }, place)).toEqual(causes.map((cause) => `spec.restartPolicy ${cause}`));
  });

  it('the deadline of a Deployment, which is later than minReadySeconds', () => {
    const deployment = (spec: JsonObject): string[] => deploymentCauses({ spec }).map(({ message }) => message);
    expect(deployment({})).toEqual([]);
    expect(deployment({ minReadySeconds: 600 })).toEqual(['Invalid value: 600: must be greater than minReadySeconds']);
    expect(deployment({ progressDeadlineSeconds: -1 })).toHaveLength(2);
  });
});

describe('several causes', () => {
  it('come container after container, in the API server’s order of lists', () => {
    const causes = apiCauses(
      defaultedPodSpec({
        restartPolicy: 'Once',
        ephemeralContainers: [{ livenessProbe: {} }],
        initContainers: [{}, { startupProbe: {} }],
        containers: [{ startupProbe: {}, livenessProbe: {} }, { readinessProbe: TCP }],
      }),
      new FieldPlace(['spec', 'template'], 'spec'),
      'template',
    );
    const prefix = 'spec.template.spec';
    expect(causes.map(({ path }) => formatPath(path))).toEqual([
      `${prefix}.containers[0].livenessProbe`,
      `${prefix}.containers[0].startupProbe`,
      `${prefix}.initContainers[1].startupProbe`,
      `${prefix}.ephemeralContainers[0].livenessProbe`,
      `${prefix}.restartPolicy`,
      `${prefix}.ephemeralContainers`,
    ]);
  });
});

describe('a value that the API server cannot decode', () => {
  /** Our path and the server's message for a liveness probe. */
  function problem(livenessProbe: unknown, list = 'containers'): unknown {
    const found = decodeProblem({ [list]: [{}, { livenessProbe }] }, SPEC);
    return found && { ...found, path: formatPath(found.path) };
  }

  it('is told by its Go field and type, with our path beside it', () => {
    expect(problem({ timeoutSeconds: '5s' })).toEqual({
      path: 'spec.containers[1].livenessProbe.timeoutSeconds',
      message:
        'json: cannot unmarshal string into Go struct field Probe.spec.containers.livenessProbe.timeoutSeconds of type int32',
    });
  });

  it.each(cases('api-rules', 'undecodable values') as [unknown, string][])('such as %j', (probe, message) => {
    expect(problem(probe)).toHaveProperty('message', `json: cannot unmarshal ${message}`);
  });

  it('is the first of the document', () => {
    expect(problem({ periodSeconds: '1', failureThreshold: '1' })).toHaveProperty(
      'path',
      'spec.containers[1].livenessProbe.periodSeconds',
    );
  });

  it('is a port before anything else, since that ends Go’s decoding at once', () => {
    const probe = { periodSeconds: '1', tcpSocket: { port: false }, httpGet: { port: [] } };
    expect(problem(probe)).toEqual({
      path: 'spec.containers[1].livenessProbe.tcpSocket.port',
      message:
        'json: cannot unmarshal bool into Go struct field TCPSocketAction.spec.containers.livenessProbe.ProbeHandler.tcpSocket.port of type int32',
    });
  });

  it('is looked for in every list, also where no probe may be', () => {
    expect(problem(true, 'initContainers')).toBeDefined();
    expect(problem(true, 'ephemeralContainers')).toHaveProperty(
      'message',
      'json: cannot unmarshal bool into Go struct field EphemeralContainer.spec.ephemeralContainers.EphemeralContainerCommon.livenessProbe of type v1.Probe',
    );
  });

  it('is none of these: nulls, unknown fields, integers at their bounds', () => {
    const probe = {
      exec: null,
      initialDelaySeconds: 2_147_483_647,
      failureThreshold: -2_147_483_648,
      terminationGracePeriodSeconds: 2 ** 63,
      tcpSocket: { port: 'any name', host: null },
      grpc: { port: null, mood: {} },
      PeriodSeconds: 'unknown',
      constructor: 'unknown',
    };
    expect(problem(probe)).toBeUndefined();
  });
});

describe('any JSON', () => {
  it('is answered, never thrown at', () => {
    const anything = fc.jsonValue();
    const handler = fc.record({ port: anything, command: anything, httpHeaders: anything, scheme: anything });
    const probe = fc.oneof(
      anything,
      fc.record({ exec: handler, httpGet: handler, tcpSocket: anything, periodSeconds: anything }),
    );
    const container = fc.record({
      livenessProbe: probe,
      ports: anything,
      lifecycle: anything,
      restartPolicyRules: anything,
    });
    const containers = fc.oneof(anything, fc.array(fc.oneof(anything, container)));
    const podSpec = fc.record({ containers, initContainers: containers, ephemeralContainers: containers });
    fc.assert(
      fc.property(podSpec, (spec) => {
        const defaulted = defaultedPodSpec(spec);
        decodeProblem(defaulted, SPEC);
        apiCauses(defaulted, SPEC, 'pod');
      }),
      { numRuns: runs(500) },
    );
  });
});

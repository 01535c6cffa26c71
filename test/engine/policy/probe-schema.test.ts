import { describe, expect, it } from 'vitest';
import { PROBE_KINDS, type ProbeKind } from '../../../src/engine/probe/probe.ts';
import { parsedPolicy, policyDocument } from '../../support/worlds.ts';
import { ApiServerVerdict } from '../../crds/api-server-verdict.ts';
import { specProblems } from './spec-problems.ts';

/** What is wrong with one probe of a policy; the paths begin in the probe. */
function problemsOf(probe: unknown, kind: ProbeKind = 'livenessProbe'): string[] {
  return specProblems({ probes: { [kind]: probe } }).map((problem) => problem.replace(`spec.probes.${kind}.`, ''));
}

const readProbe = (probe: unknown, kind: ProbeKind = 'livenessProbe') =>
  parsedPolicy(policyDocument({ probes: { [kind]: probe } })).probes[kind];

const LARGEST = 2_147_483_647;
const FROM_ONE = ['timeoutSeconds', 'periodSeconds', 'failureThreshold'];

describe('an integer of a probe', () => {
  it.each(PROBE_KINDS.flatMap((kind) => FROM_ONE.map((name) => [kind, name] as const)))(
    'of a %s: %s is from 1 to the largest int32',
    (kind, name) => {
      for (const value of [1, LARGEST])
        expect(readProbe({ [name]: value }, kind)).toEqual({ integers: { [name]: value } });
      expect(problemsOf({ [name]: 0 }, kind)).toEqual([`${name}: must be at least 1, not 0`]);
      expect(problemsOf({ [name]: LARGEST + 1 }, kind)).toEqual([
        `${name}: must be at most ${LARGEST}, not ${LARGEST + 1}`,
      ]);
      expect(problemsOf({ [name]: 1.5 }, kind)).toEqual([`${name}: must be a whole number, not 1.5`]);
    },
  );

  it.each(PROBE_KINDS)('may be no delay before the first probe of a %s', (kind) => {
    expect(readProbe({ initialDelaySeconds: 0 }, kind)?.integers).toEqual({ initialDelaySeconds: 0 });
    expect(problemsOf({ initialDelaySeconds: -1 }, kind)).toEqual(['initialDelaySeconds: must be at least 0, not -1']);
  });

  it('is one success for all probes that restart, and any number for a readiness probe', () => {
    for (const kind of ['livenessProbe', 'startupProbe'] as const) {
      expect(problemsOf({ successThreshold: 1 }, kind)).toEqual([]);
      expect(problemsOf({ successThreshold: 2 }, kind)).toEqual([`successThreshold: must be 1 for a ${kind}, not 2`]);
      expect(problemsOf({ successThreshold: 0 }, kind)).toEqual(['successThreshold: must be at least 1, not 0']);
    }
    expect(readProbe({ successThreshold: 3 }, 'readinessProbe')?.integers).toEqual({ successThreshold: 3 });
    expect(problemsOf({ successThreshold: LARGEST + 1 }, 'readinessProbe')).toEqual([
      `successThreshold: must be at most ${LARGEST}, not ${LARGEST + 1}`,
    ]);
  });

  it('is a grace period for the probes that kill alone', () => {
    for (const kind of ['livenessProbe', 'startupProbe'] as const) {
      expect(problemsOf({ terminationGracePeriodSeconds: 1 }, kind)).toEqual([]);
      expect(problemsOf({ terminationGracePeriodSeconds: 0 }, kind)).toEqual([
        'terminationGracePeriodSeconds: must be at least 1, not 0',
      ]);
    }
    expect(problemsOf({ terminationGracePeriodSeconds: 1 }, 'readinessProbe')).toEqual([
      'terminationGracePeriodSeconds: must not be set for a readinessProbe',
    ]);
  });

  it.each(PROBE_KINDS)('of a %s may be null, which resets the value of a lower layer', (kind) => {
    const nulls = Object.fromEntries(
      [...FROM_ONE, 'initialDelaySeconds', 'successThreshold', 'terminationGracePeriodSeconds'].map((name) => [
        name,
        null,
      ]),
    );
    expect(readProbe(nulls, kind)).toEqual({ integers: nulls });
  });
});

describe('the handler exec', () => {
  it('names a program and its arguments, which may be empty', () => {
    const exec = { command: ['/app/ready', '', ' '] };
    expect(readProbe({ exec })?.handler).toEqual({ kind: 'exec', fields: exec });
  });

  it.each([
    [{}, 'exec.command: must be a list, not nothing'],
    [{ command: null }, 'exec.command: must be a list, not null'],
    [{ command: 'ready' }, 'exec.command: must be a list, not "ready"'],
    [{ command: [] }, 'exec.command: must name the program to run'],
    [{ command: ['', 'x'] }, 'exec.command[0]: must name the program to run'],
    [{ command: [' \t'] }, 'exec.command[0]: must name the program to run'],
    [{ command: ['sh', 5] }, 'exec.command[1]: must be a string, not 5; put it in quotes'],
    [{ command: ['sh'], shell: true }, 'exec.shell: unknown field; known here: command'],
  ])('%j is refused', (exec, problem) => expect(problemsOf({ exec })).toEqual([problem]));
});

describe('the handler httpGet', () => {
  it('may be empty, as path and port may come from elsewhere', () =>
    expect(readProbe({ httpGet: {} })?.handler).toEqual({ kind: 'httpGet', fields: {} }));

  it('keeps all of its fields as they are written', () => {
    const httpGet = {
      path: '/live',
      port: 'http',
      host: 'app.example',
      scheme: 'HTTPS',
      httpHeaders: [
        { name: 'X', value: '' },
        { name: 'X', value: 'a\tb' },
      ],
    };
    expect(readProbe({ httpGet })?.handler).toEqual({ kind: 'httpGet', fields: httpGet });
  });

  it.each(['', 'localhost', 'a_b.example', '10.0.0.1', '::1', '[fe80::1]', 'A-1'])('may have the host %j', (host) => {
    expect(problemsOf({ httpGet: { host } })).toEqual([]);
    expect(problemsOf({ tcpSocket: { host, port: 1 } })).toEqual([]);
  });

  it.each(['a b', 'http://a', 'web:80', 'é', 'a/b', '[::g]'])('cannot have the host %j', (host) => {
    for (const [handler, fields] of [
      ['httpGet', { host }],
      ['tcpSocket', { host, port: 1 }],
    ] as const)
      expect(problemsOf({ [handler]: fields })).toEqual([`${handler}.host: "${host}" is no host name or IP address`]);
  });

  it.each([
    [{ value: '' }, '.name: must be a string, not nothing'],
    [{ name: 'X' }, '.value: must be a string, not nothing'],
    [{ name: '', value: '' }, '.name: "" is not a header name: letters, digits and "-"'],
    [{ name: 'a b', value: '' }, '.name: "a b" is not a header name: letters, digits and "-"'],
    [{ name: 'X', value: 1 }, '.value: must be a string, not 1; put it in quotes'],
    [{ name: 'X', value: 'a\n' }, '.value: must have no control characters: the probe would fail every time'],
    [{ name: 'X', value: '\u0000' }, '.value: must have no control characters: the probe would fail every time'],
    [{ name: 'X', value: '\u007f' }, '.value: must have no control characters: the probe would fail every time'],
    [{ name: 'X', value: '', more: 1 }, '.more: unknown field; known here: name, value'],
    ['X', ': must be an object, not "X"'],
  ])('cannot have the header %j', (header, problem) =>
    expect(problemsOf({ httpGet: { httpHeaders: [{ name: 'A', value: 'b' }, header] } })).toEqual([
      `httpGet.httpHeaders[1]${problem}`,
    ]),
  );

  it('is asked over HTTP or HTTPS', () => {
    for (const scheme of ['HTTP', 'HTTPS']) expect(problemsOf({ httpGet: { scheme } })).toEqual([]);
    expect(problemsOf({ httpGet: { scheme: 'FTP' } })).toEqual([
      'httpGet.scheme: must be HTTP or HTTPS, not "FTP"; did you mean "HTTP"?',
    ]);
  });
});

describe('the handlers tcpSocket and grpc', () => {
  it('name a port', () => {
    for (const tcpSocket of [{ port: 1 }, { port: 65_535 }, { port: 'postgres', host: 'db' }])
      expect(readProbe({ tcpSocket })?.handler).toEqual({ kind: 'tcpSocket', fields: tcpSocket });
    for (const grpc of [{ port: 1 }, { port: 65_535, service: '' }, { port: 9, service: 'ready' }])
      expect(readProbe({ grpc })?.handler).toEqual({ kind: 'grpc', fields: grpc });
  });

  it.each([
    [{ tcpSocket: {} }, "tcpSocket.port: must be a port's number or name, not nothing"],
    [{ tcpSocket: { port: 0 } }, 'tcpSocket.port: must be at least 1, not 0'],
    [{ tcpSocket: { port: 65_536 } }, 'tcpSocket.port: must be at most 65535, not 65536'],
    [{ grpc: {} }, 'grpc.port: must be a whole number, not nothing'],
    [{ grpc: { port: 0 } }, 'grpc.port: must be at least 1, not 0'],
    [{ grpc: { port: 65_536 } }, 'grpc.port: must be at most 65535, not 65536'],
    [{ grpc: { port: 'grpc' } }, 'grpc.port: must be a whole number, not "grpc"'],
    [{ grpc: { port: 1, service: 2 } }, 'grpc.service: must be a string, not 2; put it in quotes'],
  ])('are refused as %j', (probe, problem) => expect(problemsOf(probe)).toEqual([problem]));
});

describe('the limits of an integer in the check probe-bounds', () => {
  const problems = (periodSeconds: unknown): string[] =>
    specProblems({ checks: { 'probe-bounds': { livenessProbe: { periodSeconds } } } }).map((problem) =>
      problem.replace('spec.checks.probe-bounds.livenessProbe.periodSeconds', ''),
    );

  it.each([{ minimum: 0 }, { maximum: 0 }, { minimum: 5, maximum: 5 }, { minimum: 2, maximum: 60 }])(
    'may be %j',
    (limits) => expect(problems(limits)).toEqual([]),
  );

  it.each([
    [{}, ': must set minimum, maximum or both'],
    [{ minimum: 6, maximum: 5 }, ': minimum 6 is larger than maximum 5: no value would do'],
    [{ minimum: -1 }, '.minimum: must be at least 0, not -1'],
    [{ maximum: -1 }, '.maximum: must be at least 0, not -1'],
    [{ minimum: null }, '.minimum: must be a whole number, not null'],
    [5, ': must be an object, not 5'],
  ])('cannot be %j', (limits, problem) => expect(problems(limits)).toEqual([problem]));
});

describe('the API server', () => {
  const server = new ApiServerVerdict('ProbePolicy');
  const objections = (probe: unknown, kind: ProbeKind): string[] =>
    server.problems(server.pruned(policyDocument({ probes: { [kind]: probe } })));
  const fieldsOf = (kind: ProbeKind) =>
    server.schema.properties?.['spec']?.properties?.['probes']?.properties?.[kind]?.properties;

  it.each(PROBE_KINDS)('keeps a null in place of a %s, and of each of its integers', (kind) => {
    const nulls = { initialDelaySeconds: null, terminationGracePeriodSeconds: null };
    for (const probe of [null, nulls])
      expect(server.pruned(policyDocument({ probes: { [kind]: probe } }))).toEqual(
        policyDocument({ probes: { [kind]: probe } }),
      );
  });

  it.each(PROBE_KINDS)('knows that a disabled %s stands alone', (kind) => {
    for (const probe of [
      { disabled: true },
      { disabled: false },
      { disabled: false, periodSeconds: 5 },
      { periodSeconds: 5, timeoutSeconds: 2 },
    ])
      expect(objections(probe, kind), JSON.stringify(probe)).toEqual([]);
    expect(objections({ disabled: true, periodSeconds: 5 }, kind)).not.toEqual([]);
  });

  it('refuses a grace period of a readiness probe alone', () => {
    const probe = { terminationGracePeriodSeconds: 5 };
    expect(objections(probe, 'readinessProbe')).toEqual([
      'spec.probes.readinessProbe: terminationGracePeriodSeconds must not be set for a readinessProbe',
    ]);
    for (const kind of ['livenessProbe', 'startupProbe'] as const) expect(objections(probe, kind)).toEqual([]);
  });

  it.each(PROBE_KINDS)('declares the integers of a %s as core/v1 does', (kind) => {
    const formats = Object.entries(fieldsOf(kind) ?? {}).flatMap(([name, { format }]) =>
      format ? [[name, format]] : [],
    );
    expect(formats).toEqual([
      ['initialDelaySeconds', 'int32'],
      ['timeoutSeconds', 'int32'],
      ['periodSeconds', 'int32'],
      ['successThreshold', 'int32'],
      ['failureThreshold', 'int32'],
      ['terminationGracePeriodSeconds', 'int64'],
    ]);
  });

  it('refuses empty limits of an integer, and a header without a name', () => {
    const limits = { checks: { 'probe-bounds': { livenessProbe: { periodSeconds: {} } } } };
    expect(server.problems(policyDocument(limits))).toEqual([
      '/spec/checks/probe-bounds/livenessProbe/periodSeconds: must NOT have fewer than 1 properties',
    ]);
    expect(objections({ httpGet: { httpHeaders: [{ name: 'A', value: '' }] } }, 'livenessProbe')).toEqual([]);
    expect(objections({ httpGet: { httpHeaders: [{ name: '', value: '' }] } }, 'livenessProbe')).toContain(
      '/spec/probes/livenessProbe/httpGet/httpHeaders/0/name: must NOT have fewer than 1 characters',
    );
  });
});

import { describe, expect, it } from 'vitest';
import { SHOWN_BY_DEFAULT, withAdvice, type AdviceSelection, type AdvisedText } from '../../../src/cli/fix/advice.ts';
import { worldOf } from '../../../src/cli/input/world.ts';
import { flatGiven } from '../../support/flat-given.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { exceptionDocument } from '../../support/exceptions.ts';
import { NOW } from '../../support/now.ts';

/** Applies the advice for a text, with these policies and exceptions. */
function advised(
  text: string,
  selection: Partial<AdviceSelection> = {},
  { policies = '', edited = undefined as string | undefined } = {},
): AdvisedText {
  const settings = { namespace: 'apps', kinds: KNOWN_KINDS, now: NOW };
  const read = (file: string, content: string) => ({ texts: [{ file, text: content }], problems: [] });
  const inputs = flatGiven(worldOf(read('web.yaml', text), read('policies.yaml', policies), settings));
  expect(inputs.policyProblems).toEqual([]);
  const [source] = inputs.texts;
  if (source === undefined) throw new Error('no text');
  return withAdvice(source, inputs, { ...SHOWN_BY_DEFAULT, ...selection }, edited);
}

const checksOf = ({ left }: AdvisedText): string[] => left.map(({ check }) => check);

/** A Pod with these lines below its containers. */
const pod = (name: string, ...containers: string[]): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: { name: ${name}, namespace: apps }\nspec:\n  containers:\n${containers.join('')}`;

const container = (name: string, ...probes: string[]): string =>
  `    - name: ${name}\n      image: x\n      ports: [{ name: http, containerPort: 8080 }]\n${probes.map((probe) => `      ${probe}\n`).join('')}`;

const WRONG_PORT = 'readinessProbe: { httpGet: { path: /r, port: htpp } }';
const RIGHT_PORT = 'readinessProbe: { httpGet: { path: /r, port: http } }';
const NO_ADVICE = "readinessProbe: { exec: { command: [''] }, timeoutSeconds: 5 }";

describe('advice', () => {
  it('is written into the text, is counted, and leaves no finding', () => {
    const text = pod('web', container('app', WRONG_PORT));
    expect(advised(text)).toEqual({
      text: pod('web', container('app', RIGHT_PORT)),
      applied: 1,
      left: [],
      remarks: [],
    });
  });

  it('is written for each container and each document of a text, in any round', () => {
    const text = (probe: string) =>
      [pod('web', container('app', probe), container('other', probe)), pod('api', container('app', probe))].join(
        '---\n',
      );
    expect(advised(text(WRONG_PORT))).toEqual({ text: text(RIGHT_PORT), applied: 3, left: [], remarks: [] });
  });

  it('is written for several probes of one container', () => {
    const both = (port: string): string =>
      pod(
        'web',
        container(
          'app',
          `livenessProbe: { httpGet: { path: /l, port: ${port} }, failureThreshold: 3 }`,
          `readinessProbe: { httpGet: { path: /r, port: ${port} } }`,
        ),
      );
    const result = advised(both('htpp'), { only: ['named-port'] });
    expect([result.text, result.applied]).toEqual([both('http'), 2]);
  });

  it('that is missing leaves the finding and the text, without a remark', () => {
    const text = pod('web', container('app', NO_ADVICE));
    const result = advised(text);
    expect([result.text, result.applied, result.remarks]).toEqual([text, 0, []]);
    expect(checksOf(result)).toEqual(['exec-command']);
  });

  it('keeps out no other: a finding without advice is left, the others are applied', () => {
    const result = advised(pod('web', container('app', NO_ADVICE), container('other', WRONG_PORT)));
    expect([result.text, result.applied]).toEqual([
      pod('web', container('app', NO_ADVICE), container('other', RIGHT_PORT)),
      1,
    ]);
    expect(checksOf(result)).toEqual(['exec-command']);
  });

  it('is not applied to an object that is not a workload, nor to an empty text', () => {
    for (const text of ['', 'kind: ConfigMap\napiVersion: v1\nmetadata: { name: x }\n'])
      expect(advised(text)).toEqual({ text, applied: 0, left: [], remarks: [] });
  });

  it('is written into the items of a List', () => {
    const list = (port: string): string =>
      `kind: List\napiVersion: v1\nitems:\n  - ${pod(
        'web',
        container('app', `readinessProbe: { httpGet: { path: /r, port: ${port} } }`),
      )
        .replaceAll('\n', '\n    ')
        .trimEnd()}\n`;
    expect(advised(list('htpp')).text).toBe(list('http'));
  });
});

describe('a selection of findings', () => {
  const text = pod('web', container('app', WRONG_PORT));
  const unchanged = { text, applied: 0, left: [], remarks: [] };

  it('has only the checks that were asked for', () => {
    expect(advised(text, { only: ['exec-command'] })).toEqual(unchanged);
    expect(advised(text, { only: ['named-port'] }).applied).toBe(1);
    expect(advised(text, { skip: ['named-port'] })).toEqual(unchanged);
  });

  it('has only the levels that were asked for, after the enforcement', () => {
    expect(advised(text, { minLevel: 'error' }).applied).toBe(1);
    expect(advised(text, { minLevel: 'error', enforcement: 'Warn' })).toEqual(unchanged);
    expect(advised(text, { minLevel: 'warning', enforcement: 'Warn' }).applied).toBe(1);
  });

  it('has no finding that a comment ignores, unless comments count for nothing', () => {
    const ignored = `# probewright: ignore named-port -- the port is added later\n${text}`;
    const result = advised(ignored);
    expect([result.text, result.applied, result.left]).toEqual([ignored, 0, []]);
    expect(advised(ignored, { honoursComments: false }).applied).toBe(1);
  });

  it('has no finding of a baseline', () => {
    const known = [
      { check: 'named-port', kind: 'Pod', namespace: 'apps', name: 'web', container: 'app', probe: 'readinessProbe' },
    ];
    expect(advised(text, { known })).toEqual(unchanged);
  });

  it('has no finding that an exception allows', () => {
    const exception = exceptionDocument({ workloads: [{ kind: 'Pod', name: 'web' }] });
    const result = advised(text, { minLevel: 'note' }, { policies: JSON.stringify(exception) });
    expect(result).toEqual(unchanged);
  });
});

describe('what only the probes of policies cause', () => {
  it('stays as it is, and is left for a person', () => {
    const text = pod('web', container('app'));
    const edited = pod('web', container('app', WRONG_PORT));
    const result = advised(text, {}, { edited });
    expect([result.text, result.applied, result.remarks]).toEqual([edited, 0, []]);
    expect(checksOf(result)).toEqual(['named-port']);
  });

  it('does not keep the advice of the author’s own findings out', () => {
    const other = container('other', WRONG_PORT);
    const edited = pod('web', container('app', WRONG_PORT), other);
    const result = advised(pod('web', container('app'), other), {}, { edited });
    expect([result.text, result.applied]).toEqual([
      pod('web', container('app', WRONG_PORT), container('other', RIGHT_PORT)),
      1,
    ]);
    expect(checksOf(result)).toEqual(['named-port']);
  });
});

describe('advice that cannot be written', () => {
  const anchored = pod(
    'web',
    container('app', 'readinessProbe: &probe { httpGet: { path: /r, port: htpp } }'),
    container('other', 'readinessProbe: *probe'),
  );

  it('is told in a remark with the place and the reason, and the finding is left', () => {
    const result = advised(anchored);
    expect([result.text, result.applied, checksOf(result)]).toEqual([anchored, 0, ['named-port', 'named-port']]);
    const remark = (index: number, reason: string): string =>
      `web.yaml:9:53: the advice of named-port for spec.containers[${index}].readinessProbe.httpGet.port is not applied: ` +
      `spec.containers[${index}].readinessProbe ${reason}`;
    expect(result.remarks).toEqual([
      remark(0, 'belongs to anchor "probe", which other places use'),
      remark(1, 'is an alias of the content of anchor "probe"'),
    ]);
  });

  it('keeps out no advice of the same document', () => {
    const more = (probe: string): string => anchored + container('third', probe) + container('fourth', probe);
    const result = advised(more(WRONG_PORT));
    expect([result.text, result.applied]).toEqual([more(RIGHT_PORT), 2]);
    expect(result.remarks).toHaveLength(2);
  });

  it('keeps out no advice of another document', () => {
    const result = advised(`${anchored}---\n${pod('api', container('app', WRONG_PORT))}`);
    expect([result.text, result.applied]).toEqual([`${anchored}---\n${pod('api', container('app', RIGHT_PORT))}`, 1]);
    expect(result.remarks).toHaveLength(2);
  });
});

describe('advice after other edits', () => {
  const headers = (count: number, value: string): string =>
    pod(
      'web',
      container(
        'app',
        `readinessProbe: { httpGet: { path: /r, port: http, httpHeaders: [${Array(count).fill(`{ name: A, value: "${value}" }`).join(', ')}] } }`,
      ),
    );

  it('is written for all findings of one field, one after the other', () => {
    expect(advised(headers(6, String.raw`x\n`))).toEqual({ text: headers(6, 'x'), applied: 6, left: [], remarks: [] });
  });

  it('is written twice more than was shown, and then a remark says that the finding came back', () => {
    const result = advised(headers(1, String.raw`x\n`), {}, { edited: headers(5, String.raw`x\n`) });
    expect(result.applied).toBe(3);
    expect(checksOf(result)).toEqual(['header-value', 'header-value']);
    expect(result.remarks).toEqual(
      [
        [3, 158],
        [4, 185],
      ].map(
        ([index, column]) =>
          `web.yaml:9:${column}: the advice of header-value for spec.containers[0].readinessProbe.httpGet.` +
          `httpHeaders[${index}].value is not applied: the finding came back after the other edits`,
      ),
    );
  });

  it('that is known no more is told in a remark', () => {
    const other = pod(
      'web',
      container('app', WRONG_PORT).replace('http,', 'alpha, containerPort: 80 }, { name: beta,'),
    );
    const result = advised(pod('web', container('app', WRONG_PORT)), {}, { edited: other });
    expect([result.text, result.applied, checksOf(result)]).toEqual([other, 0, ['named-port']]);
    expect(result.remarks).toEqual([
      'web.yaml:9:46: the advice of named-port for spec.containers[0].readinessProbe.httpGet.port is not applied: ' +
        'no value is known to work after the other edits',
    ]);
  });

  it('that was never known is no remark', () => {
    const unknown = pod(
      'web',
      container('app', WRONG_PORT).replace('http,', 'alpha, containerPort: 80 }, { name: beta,'),
    );
    const result = advised(unknown);
    expect([result.text, result.remarks, checksOf(result)]).toEqual([unknown, [], ['named-port']]);
  });

  it('of another container does not count for the finding', () => {
    const two = (first: string, second: string): string =>
      pod('web', container('app', first), container('other', second));
    const result = advised(two(WRONG_PORT, RIGHT_PORT), {}, { edited: two(RIGHT_PORT, WRONG_PORT) });
    expect([result.text, result.applied]).toEqual([two(RIGHT_PORT, WRONG_PORT), 0]);
  });

  it('of two containers for one field of the object is written one after the other', () => {
    const policies = `apiVersion: probewright.dev/v1alpha1
kind: ClusterProbePolicy
metadata: { name: all }
spec: { checks: { probe-bounds: { action: Warn, startupProbe: { failureThreshold: { minimum: 60 } } } } }
`;
    const probe = (periodSeconds: number, failureThreshold: number): string =>
      `startupProbe: { httpGet: { path: /s, port: http }, periodSeconds: ${periodSeconds}, failureThreshold: ${failureThreshold} }`;
    const deployment = (failureThreshold: number, deadline = ''): string => {
      const containers =
        container('app', probe(60, failureThreshold)) + container('other', probe(20, failureThreshold));
      const template = `  template:\n    spec:\n      containers:\n${containers.replace(/^/gm, '    ').trimEnd()}\n`;
      return `apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web, namespace: apps }\nspec:\n${template}${deadline}`;
    };
    const selection = { only: ['probe-bounds'] };
    expect(advised(deployment(5), selection, { policies })).toEqual({
      text: deployment(60, '  progressDeadlineSeconds: 3660\n'),
      applied: 2,
      left: [],
      remarks: [],
    });
  });
});

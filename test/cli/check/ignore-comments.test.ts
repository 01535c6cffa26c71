import { describe, expect, it } from 'vitest';
import { IgnoreComments } from '../../../src/cli/check/ignore-comments.ts';
import { manifestsOf } from '../../../src/cli/input/manifests.ts';
import type { Violation } from '../../../src/engine/checks/violation.ts';
import { runProbewright } from '../run-probewright.ts';

/** Two containers, whose liveness probes have one finding of exec-cost each. The marks are where comments are put. */
const TEXT = `%HEAD%
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: apps }
spec:
  %SPEC%
  template:
    spec:
      containers:
        %ABOVE%
        - name: app %NAME%
          image: a
          ports: [{ name: http, containerPort: 8080 }]
          %PROBE%
          livenessProbe: %KEY%
            %INSIDE%
            exec: { command: [/x] }
            timeoutSeconds: 5
            periodSeconds: 2 %FIELD%
            failureThreshold: 9
          readinessProbe: { httpGet: { path: /r, port: http } }
        - name: other
          image: a
          livenessProbe: { exec: { command: [/x] }, timeoutSeconds: 5, periodSeconds: 2, failureThreshold: 9 } %FLOW%
          readinessProbe: { httpGet: { path: /r, port: 80 } }
`;

function withComment(place: string, comment: string, text = TEXT): string {
  return text
    .replace(`%${place}%`, () => comment)
    .replace(/ *%[A-Z]+%\n?/g, (mark) => (mark.endsWith('\n') ? '\n' : ''));
}

async function check(stdin: string, ...args: string[]) {
  const { code, stdout, stderr } = await runProbewright(['check', '-', '--output', 'json', ...args], { stdin });
  const { violations, summary } = JSON.parse(stdout) as {
    readonly violations: readonly { readonly check: string; readonly container: string }[];
    readonly summary: { readonly hidden: { readonly ignored?: number } };
  };
  const found = violations.map(({ check: id, container }) => `${container} ${id}`);
  return { code, found, ignored: summary.hidden.ignored, stderr };
}

const IGNORE = '# probewright: ignore exec-cost - the script is ours, 2 ms';
const OF_APP = 'app exec-cost';
const OF_OTHER = 'other exec-cost';

describe('a comment that ignores a finding', () => {
  it.each([
    ['at the head of the document', 'HEAD', []],
    ['above the container', 'ABOVE', [OF_OTHER]],
    ['behind the name of the container', 'NAME', [OF_OTHER]],
    ['above the probe', 'PROBE', [OF_OTHER]],
    ['behind the key of the probe', 'KEY', [OF_OTHER]],
    ['inside of the probe', 'INSIDE', [OF_OTHER]],
    ['behind a field of the probe', 'FIELD', [OF_OTHER]],
    ['behind a probe on one line', 'FLOW', [OF_APP]],
  ])('counts %s', async (_where, place, left) => {
    const { found, ignored, stderr } = await check(withComment(place, IGNORE));
    expect({ found, stderr }).toEqual({ found: left, stderr: '' });
    expect(ignored).toBe(2 - left.length);
  });

  it('ignores several checks, of its own document only', async () => {
    const both = '# probewright: ignore exec-cost, startup-budget: ours';
    const bad = TEXT.replaceAll('failureThreshold: 9', 'failureThreshold: 3');
    const stdin = `${withComment('HEAD', both, bad)}---\n${withComment('', '').replace('name: web', 'name: web-2')}`;
    expect(await check(stdin)).toMatchObject({ found: [OF_APP, OF_OTHER], ignored: 4, stderr: '' });
  });

  it('is honoured in an item of a List, and in a Pod template of another kind', async () => {
    const item = withComment('PROBE', IGNORE).trim().replace(/^/gm, '    ').replace('    apiVersion', '  - apiVersion');
    expect((await check(`kind: List\napiVersion: v1\nitems:\n${item}\n`)).found).toEqual([OF_OTHER]);
  });

  it('is honoured with CRLF', async () =>
    expect((await check(withComment('PROBE', IGNORE).replaceAll('\n', '\r\n'))).found).toEqual([OF_OTHER]));

  it('of other lists than containers is at no part of the document', async () => {
    const volumes =
      '      volumes:\n        # probewright: ignore exec-cost - ours\n        - name: app\n          emptyDir: {}\n';
    const { found, stderr } = await check(`${withComment('', '')}${volumes}`, '--min-level', 'note');
    expect(found).toEqual(expect.arrayContaining([OF_APP, OF_OTHER]));
    expect(stderr).toContain('write it at a probe, at a container, or at the head of the document');
  });

  it('does not count with --no-ignore', async () => {
    const stdin = withComment('HEAD', IGNORE);
    expect(await check(stdin, '--no-ignore')).toMatchObject({ found: [OF_APP, OF_OTHER], ignored: undefined });
  });

  it('ignores an error, too, and the summary counts it', async () => {
    const text = TEXT.replace('port: http }', 'port: htpp }').replaceAll('periodSeconds: 2', 'periodSeconds: 5');
    const stdin = withComment('ABOVE', '# probewright: ignore named-port - a webhook of ours adds the port', text);
    const { code, stdout } = await runProbewright(['check', '-'], { stdin });
    expect(code).toBe(0);
    expect(stdout).toContain('; 1 finding ignored by comments');
  });

  it.each([
    ['without a reason', '# probewright: ignore exec-cost', 'write "# probewright: ignore CHECK - REASON"'],
    ['without a check', '# probewright: ignore', 'write "# probewright: ignore CHECK - REASON"'],
    [
      'of an unknown check',
      '# probewright: ignore exec-cots - ours',
      'no check "exec-cots"; did you mean "exec-cost"?',
    ],
  ])('is a warning %s, and ignores nothing', async (_what, comment, text) => {
    const { found, stderr } = await check(withComment('PROBE', comment));
    expect(found).toEqual([OF_APP, OF_OTHER]);
    expect(stderr).toContain('<stdin>:14:11: warning: this comment ignores nothing');
    expect(stderr).toContain(text);
  });

  it.each([
    ['PROBE', 'single-failure', 'there is no such finding here'],
    ['SPEC', 'exec-cost', 'write it at a probe, at a container, or at the head'],
  ])('is a note where it matches nothing: %s %s', async (place, id, text) => {
    const { code, stderr } = await check(
      withComment(place, `# probewright: ignore ${id} - ours`),
      '--min-level',
      'note',
    );
    expect(code).toBe(0);
    expect(stderr).toContain(': note: this comment ignores');
    expect(stderr).toContain(text);
  });

  it('keeps the advice of its finding from fix --advice', async () => {
    // A startup probe guards the start, so a longer period changes nothing there.
    const startup = 'startupProbe: { exec: { command: [/x] }, timeoutSeconds: 5, failureThreshold: 10 }';
    const guarded = TEXT.replaceAll('          readinessProbe', `          ${startup}\n          readinessProbe`);
    const stdin = withComment('PROBE', IGNORE, guarded);
    const fixed = (await runProbewright(['fix', '-', '--advice'], { stdin })).stdout;
    expect(fixed).toContain('periodSeconds: 2\n');
    expect(fixed).toContain('periodSeconds: 5');
    const all = (await runProbewright(['fix', '-', '--advice', '--no-ignore'], { stdin })).stdout;
    expect(all).not.toContain('periodSeconds: 2');
  });
});

describe('a finding about a container whose field is elsewhere', () => {
  const isIgnored = (place: string, violation: Partial<Violation>): boolean => {
    const text = withComment(place, IGNORE);
    const source = { file: 'a.yaml', text, ...manifestsOf({ file: 'a.yaml', text }) };
    const [manifest] = source.manifests;
    if (manifest === undefined) throw new Error('there is no manifest');
    const path = ['spec', 'template', 'spec', 'terminationGracePeriodSeconds'];
    const found = { check: 'exec-cost', action: 'Warn', container: 'app', path, message: 'is wrong' } as const;
    return new IgnoreComments(source).ignores(manifest, { ...found, ...violation });
  };

  it('is ignored at that container only', () => {
    expect(isIgnored('ABOVE', {})).toBe(true);
    expect(isIgnored('ABOVE', { probe: 'livenessProbe' })).toBe(true);
    expect(isIgnored('ABOVE', { container: 'other' })).toBe(false);
    expect(isIgnored('ABOVE', { check: 'named-port' })).toBe(false);
  });

  it('is ignored at a probe where the finding is about that probe', () => {
    expect(isIgnored('PROBE', { probe: 'livenessProbe' })).toBe(true);
    expect(isIgnored('PROBE', { probe: 'readinessProbe' })).toBe(false);
    expect(isIgnored('PROBE', {})).toBe(false);
    expect(isIgnored('PROBE', { probe: 'livenessProbe', container: 'other' })).toBe(false);
  });

  it('is ignored by its path alone where the path is below the comment', () => {
    const path = ['spec', 'template', 'spec', 'containers', 0, 'image'];
    expect(isIgnored('ABOVE', { container: 'unnamed', path })).toBe(true);
    expect(isIgnored('ABOVE', { container: 'unnamed', path: path.with(4, 1) })).toBe(false);
  });
});

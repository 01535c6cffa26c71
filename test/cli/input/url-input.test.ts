import { describe, expect, it } from 'vitest';
import { urlProblem } from '../../../src/cli/input/url-input.ts';
import { runProbewright } from '../run-probewright.ts';

describe('an input that is a URL', () => {
  it.each([
    ['https://example.test/web.yaml', 'curl -fsSL https://example.test/web.yaml | probewright check --strict -'],
    ['HTTP://example.test/a?b=1&c=2', "curl -fsSL 'HTTP://example.test/a?b=1&c=2' | probewright check --strict -"],
    [
      'https://example.test/web-1.0.0.tgz',
      'helm template https://example.test/web-1.0.0.tgz | probewright check --strict -',
    ],
    ['oci://example.test/charts/web', 'helm template oci://example.test/charts/web | probewright check --strict -'],
    [
      'https://github.com/example/shop/blob/main/web.yaml',
      'curl -fsSL https://github.com/example/shop/raw/main/web.yaml | probewright check --strict -',
    ],
    [
      'https://gitlab.com/example/shop/-/blob/main/blob/web.yaml',
      'curl -fsSL https://gitlab.com/example/shop/-/raw/main/blob/web.yaml | probewright check --strict -',
    ],
    ['s3://bucket/web.yaml', 'download it, and name the file'],
  ])('%s gets one sentence with what to type', (url, step) =>
    expect(urlProblem('check', [url], ['--strict', url])).toBe(
      `${url} is a URL, and probewright downloads nothing: ${step}`,
    ),
  );

  it.each(['web.yaml', 'https:', 'deploy/web', '-', 'a/https://b'])('%s is none', (input) =>
    expect(urlProblem('check', [input], [input])).toBeUndefined(),
  );

  it.each(['check', 'fix', 'explain', 'report', 'starts', 'try', 'snapshot'])(
    'ends %s with exit code 2 and one line',
    async (command) => {
      const { code, stdout, stderr } = await runProbewright([command, 'https://example.test/web.yaml']);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toBe(
        `probewright ${command}: https://example.test/web.yaml is a URL, and probewright downloads nothing: ` +
          `curl -fsSL https://example.test/web.yaml | probewright ${command} -\n`,
      );
    },
  );

  it('keeps the other arguments in the command', () =>
    expect(urlProblem('plan', ['https://a.test/x'], ['--policies', 'my policies', 'https://a.test/x'])).toMatch(
      / \| probewright plan --policies 'my policies' -$/,
    ));
});

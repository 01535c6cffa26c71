import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LONGEST_TEXT, judgeTexts } from '../../../src/package/playground/judged-texts.ts';
import { timelineMarkup } from '../../../src/package/playground/timeline-markup.ts';
import { runProbewright } from '../../cli/run-probewright.ts';

const MANIFESTS = readFileSync('pages/playground/examples/port-typo.yaml', 'utf8');
const SETTINGS = { now: 0, appliesAdvice: false };

describe('the texts of the playground', () => {
  it('get the patch of fix, with the advice of checks only when asked', async () => {
    const web = readFileSync('examples/quick-start/web.yaml', 'utf8');
    const policies = readFileSync('examples/quick-start/policy.yaml', 'utf8');
    const { stdout } = await runProbewright(['fix', '-', '--policies', 'examples/quick-start/policy.yaml'], {
      stdin: web,
    });
    expect(judgeTexts({ manifests: web, policies }, SETTINGS).patch).toMatchObject({
      after: stdout,
      probes: 3,
      advice: 0,
    });
    expect(judgeTexts({ manifests: MANIFESTS, policies: '' }, SETTINGS).patch).toMatchObject({
      after: MANIFESTS,
      advice: 0,
    });
    const advised = judgeTexts({ manifests: MANIFESTS, policies: '' }, { ...SETTINGS, appliesAdvice: true }).patch;
    expect(advised.after).toContain('port: http }');
    expect(advised.after).not.toContain('htpp');
  });

  it('have no patch while a policy cannot be read', () => {
    const { patch, report } = judgeTexts({ manifests: MANIFESTS, policies: 'kind: ProbePolicy' }, SETTINGS);
    expect(patch).toEqual({
      after: MANIFESTS,
      diff: [],
      probes: 0,
      advice: 0,
      remarks: ['A policy cannot be read. Correct the policy to see the patch.'],
    });
    expect(report.problems.length).toBeGreaterThan(0);
  });

  it('have no patch while the policies are too long to be judged', () => {
    const { patch } = judgeTexts({ manifests: MANIFESTS, policies: '#'.repeat(LONGEST_TEXT + 1) }, SETTINGS);
    expect(patch).toMatchObject({
      diff: [],
      remarks: ['A policy cannot be read. Correct the policy to see the patch.'],
    });
  });

  it('that are too long are not judged, and the report says so', () => {
    const { report, patch } = judgeTexts({ manifests: '#'.repeat(LONGEST_TEXT + 1), policies: '' }, SETTINGS);
    expect(report.problems).toEqual([
      {
        file: 'manifests.yaml',
        line: 1,
        column: 1,
        message: 'has 400001 characters; the playground judges at most 400000: use probewright check',
      },
    ]);
    expect(patch.diff).toEqual([]);
  });

  it('may have 400,000 characters', () =>
    expect(judgeTexts({ manifests: '#'.repeat(400_000), policies: '' }, SETTINGS).report.problems).toEqual([]));

  it('with syntax errors, anchors or nothing in them never throw', () => {
    for (const manifests of ['', '---', '{', '\t', 'a: &a [*a]', '- 1', '\0', 'kind: List\nitems: 1', '['.repeat(5000)])
      expect(() => judgeTexts({ manifests, policies: manifests }, SETTINGS)).not.toThrow();
  });

  it('become time lines in which every name is escaped', () => {
    const hostile = MANIFESTS.replaceAll('orders', '"<img onerror=x>"').replace('path: /livez', 'path: "/<script>"');
    const markup = timelineMarkup(judgeTexts({ manifests: hostile, policies: '' }, SETTINGS).workloads);
    expect(markup).toContain('&lt;img onerror=x&gt;');
    expect(markup).not.toMatch(/<img|<script/);
  });
});

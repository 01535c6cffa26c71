import { describe, expect, it } from 'vitest';
import { findings, onlyFinding, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'header-value';
const sending = (...values: unknown[]): JsonObject =>
  podWith({
    readinessProbe: { httpGet: { port: 80, httpHeaders: values.map((value) => ({ name: 'X-Token', value })) } },
  });

describe('header-value', () => {
  it('says where the control character is, and what to write when it ends the value', () =>
    expect(onlyFinding(ID, sending('fine', 'abc\n'))).toEqual({
      probe: 'readinessProbe',
      path: 'spec.containers[0].readinessProbe.httpGet.httpHeaders[1].value',
      message:
        'container "app" sends header "X-Token" with the control character U+000A as character 4 of 4, so every probe fails',
      remedy: 'write value: "abc" (a YAML block "|" ends with a line break)',
      edits: [
        {
          path: ['spec', 'containers', 0, 'readinessProbe', 'httpGet', 'httpHeaders', 1, 'value'],
          value: 'abc',
        },
      ],
    }));

  it('says so in the middle of a value', () => {
    const found = onlyFinding(ID, sending('a\u0000b'));
    expect(found.message).toContain('U+0000 as character 2 of 3');
    expect(found.remedy).toBe('remove the control character');
    expect(found.edits).toBeUndefined();
  });

  it('shows no cut value as the value to write', () => {
    const found = onlyFinding(ID, sending(`${'x'.repeat(500)}\n`));
    expect(found.remedy).toBe('remove the line break at the end (a YAML block "|" ends with a line break)');
    expect(found.edits?.[0]?.value).toBe('x'.repeat(500));
  });

  it('gives no edits where nothing would be left', () => expect(onlyFinding(ID, sending('\n')).edits).toBeUndefined());

  it.each(['\u0001', '\u0008', '\u000b', '\r', '\u001f', '\u007f'])('refuses %j', (character) =>
    expect(findings(ID, sending(`a${character}b`))).toHaveLength(1),
  );

  it.each(['a\tb', 'a b', '~', 'grüß', ''])('accepts %j', (value) => expect(findings(ID, sending(value))).toEqual([]));

  it.each([null, 7, {}])('finds nothing in the malformed value %j', (value) =>
    expect(findings(ID, sending(value))).toEqual([]),
  );

  it('reports about a hundred headers of a probe', () => {
    const httpHeaders = Array.from({ length: 5000 }, (_, index) => ({ name: `X-${index}`, value: '\n' }));
    expect(findings(ID, podWith({ livenessProbe: { httpGet: { port: 'http', httpHeaders } } }))).toHaveLength(100);
  });
});

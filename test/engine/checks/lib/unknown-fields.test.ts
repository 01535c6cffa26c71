import { describe, expect, it } from 'vitest';
import { cases } from '../../../support/cases.ts';
import { unknownProbeFields } from '../../../../src/engine/checks/lib/unknown-fields.ts';
import { formatPath } from '../../../../src/base/json/field-path.ts';
import type { JsonObject } from '../../../../src/base/json/json-value.ts';

it('finds every unknown field, however many there are', () => {
  const count = 200_000;
  const livenessProbe = Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));
  const found = unknownProbeFields({ containers: [{ name: 'app', livenessProbe }] }, ['spec']);
  expect(found).toHaveLength(count);
  expect(found.at(-1)).toEqual({
    container: 'app',
    path: ['spec', 'containers', 0, 'livenessProbe', `k${count - 1}`],
    message: 'unknown field, which the API server drops',
  });
});

/** What is said about the fields of one container: path below the container, remedy and edits. */
function said(container: JsonObject): unknown[] {
  return unknownProbeFields({ containers: [{ name: 'app', ...container }] }, ['spec']).map(
    ({ path, remedy, edits }) => [
      formatPath(path.slice(3)),
      remedy ?? null,
      edits?.map((edit) => [formatPath(edit.path.slice(3)), edit.value]) ?? null,
    ],
  );
}

describe('a probe field in the wrong place', () => {
  it.each(cases('unknown-fields', 'misplaced') as [string, JsonObject, unknown[]][])(
    '%s',
    (_name, container, expected) => expect(said(container)).toEqual([expected]),
  );

  it('is renamed where it is misspelt, unless both spellings are there', () => {
    expect(said({ livenessProbe: { tcpSocket: { port: 80 }, periodSecond: 5 } })).toEqual([
      [
        'livenessProbe.periodSecond',
        'did you mean "periodSeconds"?',
        [
          ['livenessProbe.periodSecond', null],
          ['livenessProbe.periodSeconds', 5],
        ],
      ],
    ]);
    expect(said({ livenessProbe: { tcpSocket: { port: 80 }, periodSecond: 5, periodSeconds: 6 } })).toEqual([
      ['livenessProbe.periodSecond', 'did you mean "periodSeconds"?', null],
    ]);
    const httpHeaders = [{ name: 'A', val: '1' }];
    expect(said({ livenessProbe: { httpGet: { port: 80, httpHeaders } } })).toEqual([
      [
        'livenessProbe.httpGet.httpHeaders[0].val',
        'did you mean "value"?',
        [
          ['livenessProbe.httpGet.httpHeaders[0].val', null],
          ['livenessProbe.httpGet.httpHeaders[0].value', '1'],
        ],
      ],
    ]);
  });
});

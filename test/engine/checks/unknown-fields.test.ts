import { describe, expect, it } from 'vitest';
import { unknownProbeFields } from '../../../src/engine/checks/lib/unknown-fields.ts';
import { formatPath } from '../../../src/base/json/field-path.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

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
      remedy,
      edits?.map((edit) => [formatPath(edit.path.slice(3)), edit.value]),
    ],
  );
}

describe('a probe field in the wrong place', () => {
  it.each<[string, JsonObject, unknown[]]>([
    [
      'a number of the probe in its handler',
      { livenessProbe: { httpGet: { port: 80, periodSeconds: 5 } } },
      [
        'livenessProbe.httpGet.periodSeconds',
        'move it up to livenessProbe',
        [
          ['livenessProbe.httpGet.periodSeconds', null],
          ['livenessProbe.periodSeconds', 5],
        ],
      ],
    ],
    [
      'a number that the probe has too',
      { livenessProbe: { httpGet: { port: 80, periodSeconds: 5 }, periodSeconds: 7 } },
      ['livenessProbe.httpGet.periodSeconds', 'move it up to livenessProbe', undefined],
    ],
    [
      'a field of the handler in the probe',
      { readinessProbe: { httpGet: { port: 80 }, path: '/ready' } },
      [
        'readinessProbe.path',
        'move it into httpGet',
        [
          ['readinessProbe.path', null],
          ['readinessProbe.httpGet.path', '/ready'],
        ],
      ],
    ],
    [
      'a path without a handler',
      { readinessProbe: { path: '/ready' } },
      ['readinessProbe.path', 'move it into httpGet', undefined],
    ],
    [
      'a port without a handler',
      { readinessProbe: { port: 80 } },
      ['readinessProbe.port', 'move it into the handler', undefined],
    ],
    [
      'a probe in a probe',
      { livenessProbe: { tcpSocket: { port: 80 }, readinessProbe: { tcpSocket: { port: 80 } } } },
      [
        'livenessProbe.readinessProbe',
        'move it up to containers[0]',
        [
          ['livenessProbe.readinessProbe', null],
          ['readinessProbe', { tcpSocket: { port: 80 } }],
        ],
      ],
    ],
    [
      'a field of the container in a probe',
      { livenessProbe: { tcpSocket: { port: 80 }, resources: {} } },
      [
        'livenessProbe.resources',
        'move it up to containers[0]',
        [
          ['livenessProbe.resources', null],
          ['resources', {}],
        ],
      ],
    ],
    [
      'a number of the only probe in the container',
      { livenessProbe: { tcpSocket: { port: 80 } }, failureThreshold: 9 },
      [
        'failureThreshold',
        'move it into livenessProbe',
        [
          ['failureThreshold', null],
          ['livenessProbe.failureThreshold', 9],
        ],
      ],
    ],
    [
      'a handler in a container without probes',
      { httpGet: { port: 80 } },
      ['httpGet', 'move it into the probe that it is for', undefined],
    ],
  ])('%s', (_name, container, expected) => {
    expect(said(container)).toEqual([expected]);
  });

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
      ['livenessProbe.periodSecond', 'did you mean "periodSeconds"?', undefined],
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

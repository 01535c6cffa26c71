import { describe, expect, it } from 'vitest';
import { findings, onlyFinding, paths, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'header-secret';
const sending = (...httpHeaders: JsonObject[]): JsonObject =>
  podWith({ livenessProbe: { httpGet: { path: '/live', port: 'http', httpHeaders } } });

describe('header-secret', () => {
  it('names the header, never its value', () => {
    const found = onlyFinding(ID, sending({ name: 'Authorization', value: 'Bearer s3cret' }));
    expect(found).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.httpGet.httpHeaders[0].value',
      message:
        'container "app" has the credentials of the header "Authorization" in its livenessProbe, where everyone who may read the Pod sees them',
      remedy:
        'let the endpoint answer without credentials, or write an exec probe that reads them from an environment variable of a Secret',
    });
    expect(JSON.stringify(found)).not.toContain('s3cret');
  });

  it('reads names in any case, and finds each header', () => {
    const headers = ['AUTHORIZATION', 'Accept', 'proxy-authorization'].map((name) => ({ name, value: 'x' }));
    expect(paths(ID, sending(...headers))).toEqual([
      'spec.containers[0].livenessProbe.httpGet.httpHeaders[0].value',
      'spec.containers[0].livenessProbe.httpGet.httpHeaders[2].value',
    ]);
  });

  it.each([
    [{ name: 'X-Authorization', value: 'x' }],
    [{ name: 'Authorization', value: ' ' }],
    [{ name: 'Authorization' }],
  ])('accepts %j', (header) => expect(findings(ID, sending(header))).toEqual([]));
});

import { describe, expect, it } from 'vitest';
import { findings, onlyFinding, podWith } from './workload.ts';
import { cases } from '../../support/cases.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'path-url';
const PATH = ['spec', 'containers', 0, 'livenessProbe', 'httpGet', 'path'];
const asking = (path: unknown): JsonObject => podWith({ livenessProbe: { httpGet: { path, port: 'http' } } });

describe('path-url', () => {
  it('names the URL and writes its path', () =>
    expect(onlyFinding(ID, asking('http://localhost:8080/livez?full=1'))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.httpGet.path',
      message:
        'container "app" has the URL "http://localhost:8080/livez?full=1" as path; ' +
        'the kubelet overwrites its scheme and host',
      remedy: 'write path: "/livez?full=1"',
      edits: [{ path: PATH, value: '/livez?full=1' }],
    }));

  it.each(cases('path-url', 'edits to the') as [string, string][])(
    'edits %s to the path that the kubelet asks for: %s',
    (url, path) => expect(onlyFinding(ID, asking(url)).edits).toEqual([{ path: PATH, value: path }]),
  );

  it.each(cases('path-url', 'has no edit') as [string, string][])(
    'has no edit for %s, because the request would change',
    (url, remedy) => {
      const found = onlyFinding(ID, asking(url));
      expect(found.edits).toBeUndefined();
      expect(found.remedy).toBe(remedy);
    },
  );

  it('mentions the scheme of an https URL', () =>
    expect(onlyFinding(ID, asking('https://localhost:8443/livez')).remedy).toBe(
      'write path: /livez, and scheme: HTTPS if the port speaks TLS',
    ));

  it.each([['/livez'], ['livez'], ['/a:b'], ['/http://web/'], ['?a=http://b'], [''], [7], [null], [['http://a/']]])(
    'accepts %j',
    (path) => expect(findings(ID, asking(path))).toEqual([]),
  );

  it('is about httpGet only', () =>
    expect(findings(ID, podWith({ livenessProbe: { grpc: { port: 80, path: 'http://a/' } } }))).toEqual([]));

  it('reads a URL of a megabyte', () => {
    expect(onlyFinding(ID, asking(`http://${'a'.repeat(1_000_000)}`)).message.length).toBeLessThan(200);
    expect(findings(ID, asking(`a${'.'.repeat(1_000_000)}`))).toEqual([]);
  });
});

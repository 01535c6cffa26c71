import { describe, expect, it } from 'vitest';
import { findings, onlyFinding, podWith } from './workload.ts';
import { cases } from '../../support/cases.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'exec-image';
const DISTROLESS = 'gcr.io/distroless/static-debian12:nonroot';
const running = (image: unknown, ...command: string[]): JsonObject =>
  podWith({ image, livenessProbe: { exec: { command } } });

describe('exec-image', () => {
  it('names the program and the kind of image', () =>
    expect(onlyFinding(ID, running(DISTROLESS, 'cat', '/tmp/healthy'))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.exec.command[0]',
      message: 'container "app" runs "cat" in its livenessProbe, and a distroless image contains no such program',
      remedy: 'write an httpGet, tcpSocket or grpc handler, or run a program of the application',
    }));

  it.each(cases('exec-image', 'finds a shell') as [string][])('finds a shell in %s', (image) =>
    expect(findings(ID, running(image, '/bin/sh', '-c', 'true'))).toHaveLength(1),
  );

  it.each([
    ['gcr.io/distroless/static:debug'],
    ['acme/web:scratch-busybox'],
    ['distroless.example/acme/web'],
    ['acme/fromscratch'],
    ['acme/web:1.2'],
    [`acme/web@sha256:scratch`],
    [''],
    [7],
    [null],
    [`distroless/${'a'.repeat(1_000_000)}`],
  ])('accepts a shell in %s', (image) => expect(findings(ID, running(image, '/bin/sh', '-c', 'true'))).toEqual([]));

  it.each([['bash'], ['/usr/bin/curl'], ['wget'], ['/bin/cat'], ['nc'], ['/usr/local/bin/grep']])('finds %s', (word) =>
    expect(findings(ID, running(DISTROLESS, word, 'x'))).toHaveLength(1),
  );

  it.each([['/app/health'], ['/busybox/sh'], ['/app/curl'], ['java'], ['healthcheck'], ['']])('accepts %s', (word) =>
    expect(findings(ID, running(DISTROLESS, word, 'x'))).toEqual([]),
  );

  it('looks at the program behind another program, and at the program in front', () => {
    const paths = (...command: string[]): string[] =>
      findings(ID, running(DISTROLESS, ...command)).map(({ path }) => path);
    expect(paths('/app/env', 'sh')).toEqual(['spec.containers[0].livenessProbe.exec.command[1]']);
    expect(paths('timeout', '5', '/app/health')).toEqual(['spec.containers[0].livenessProbe.exec.command[0]']);
  });
});

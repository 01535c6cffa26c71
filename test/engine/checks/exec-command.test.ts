import { describe, expect, it } from 'vitest';
import { findings, onlyFinding, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'exec-command';
const running = (command: unknown): JsonObject => podWith({ livenessProbe: { exec: { command } } });

describe('exec-command', () => {
  it.each([[['']], [['  ']], [['\n']], [['\u0085\u2028']], [[null]]])('refuses %j', (command) =>
    expect(onlyFinding(ID, running(command))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.exec.command[0]',
      message: 'the livenessProbe of container "app" runs a program without a name, so every probe errors',
      remedy: 'write the program, for example command: [cat, /tmp/healthy]',
    }),
  );

  it('suggests to drop an empty element before the program', () => {
    const path = ['spec', 'containers', 0, 'livenessProbe', 'exec', 'command'];
    expect(onlyFinding(ID, running(['', 'cat', '']))).toMatchObject({
      remedy: 'remove the empty first element, or write the program there',
      edits: [{ path, value: ['cat', ''] }],
    });
    expect(onlyFinding(ID, running(['', ' ', 'cat']))).toMatchObject({
      remedy: 'remove the empty first elements, or write the program there',
      edits: [{ path, value: ['cat'] }],
    });
    expect(onlyFinding(ID, running(['', 'cat', null])).edits).toBeUndefined();
  });

  it.each([[['cat', '']], [['sh', '-c', 'true']], [[' cat']], [['\ufeff']]])('accepts %j', (command) =>
    expect(findings(ID, running(command))).toEqual([]),
  );

  it.each([[[]], [undefined], ['cat'], [[7]], [null]])('leaves %j to valid-probe', (command) =>
    expect(findings(ID, running(command))).toEqual([]),
  );
});

import { describe, expect, it } from 'vitest';
import { findings, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const withHook = (image: string, command: readonly unknown[]): JsonObject =>
  podWith({ image, lifecycle: { preStop: { exec: { command } } } });

describe('a hook whose command is too long to be read', () => {
  const long = ['sh', '-c', 'x'.repeat(5000)];

  it('is said to be unread where the image lacks programs', () =>
    expect(findings('hook-image', withHook('gcr.io/distroless/static', long))).toMatchObject([
      { message: 'the preStop hook of container "app" is too long to be checked', isUnread: true },
    ]));

  it('is no matter elsewhere, and takes nothing from the budget of the commands of probes', () => {
    expect(findings('hook-image', withHook('web:1', long))).toEqual([]);
    const hooks = ['a', 'b', 'c', 'd', 'e'].map((letter) => ({
      name: letter,
      image: 'gcr.io/distroless/static',
      lifecycle: { preStop: { exec: { command: ['sh', '-c', letter.repeat(4000)] } } },
    }));
    const probed = { name: 'app', livenessProbe: { exec: { command: ['cat', '/ok'] } }, image: 'web:1-scratch' };
    const pod = podWith({}, { containers: [...hooks, probed] });
    expect(findings('hook-image', pod).map(({ isUnread = false }) => isUnread)).toEqual([
      false,
      false,
      false,
      false,
      true,
    ]);
    expect(findings('exec-image', pod)).toHaveLength(1);
  });
});

it('a message about a hook has at most 200 characters', () => {
  const command = ['timeout', '5', 'nice', 'nohup', 'env', 'sh', '-c', 'sleep 5'];
  const pod = podWith({
    name: 'a'.repeat(63),
    image: 'redis:1-scratch',
    lifecycle: { postStart: { exec: { command } } },
  });
  expect(findings('hook-image', pod).map(({ message }) => message.length)).toEqual([
    expect.toSatisfy((length: number) => length <= 200),
  ]);
});

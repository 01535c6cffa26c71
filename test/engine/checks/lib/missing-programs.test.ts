import { describe, expect, it } from 'vitest';
import { missingPrograms } from '../../../../src/engine/checks/lib/missing-programs.ts';
import { ExecCommand } from '../../../../src/engine/command/words.ts';
import { podWith, workloadOf } from '../workload.ts';

function missing(image: string, ...argv: readonly string[]): ReturnType<typeof missingPrograms> {
  const [container] = workloadOf(podWith({ image })).pod.containers;
  if (container === undefined) throw new Error('no container');
  return missingPrograms(container, new ExecCommand(argv), 'hook');
}

describe('what an image lacks of a command', () => {
  it.each([
    ['web:1', ['bash']],
    ['alpine:3', ['sh']],
    ['gcr.io/distroless/static', ['/app/alive']],
  ])('is nothing in %s for %j', (image, argv) => expect(missing(image, ...argv)).toBeUndefined());

  it('is told with the place of the first program, and the name of the last', () => {
    expect(missing('gcr.io/distroless/static', 'cat', '/ok')).toEqual({
      at: 0,
      message: 'container "app" runs "cat" in its hook, and a distroless image contains no such program',
    });
    expect(missing('gcr.io/distroless/static', 'timeout', '5', 'curl', 'x')).toEqual({
      at: 0,
      message: 'container "app" runs "timeout" and "curl" in its hook, and a distroless image contains no such program',
    });
  });

  it('is a note for bash, which an image may have got', () => {
    expect(missing('alpine:3', 'timeout', '5', 'bash', '-c', 'true')).toEqual({
      at: 2,
      level: 'Audit',
      message: 'container "app" runs "bash" in its hook, and an alpine image has bash only where installed',
    });
    expect(missing('busybox:1', 'bash')?.message).toMatch(/ a busybox image has bash only where installed$/);
  });
});

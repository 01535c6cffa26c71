import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keepTickShape } from '../../src/process/tick-shape.ts';

describe('the shape of ticks', () => {
  it('is kept by one object that Node made for a tick', () => {
    const kept = keepTickShape();
    expect(kept).toHaveProperty('callback');
    expect(keepTickShape()).toBe(kept);
  });

  it('is the same before and after full garbage collections', () => {
    const script = `
      import { createHook } from 'node:async_hooks';
      import { keepTickShape } from ${JSON.stringify(join(import.meta.dirname, '../../src/process/tick-shape.ts'))};
      const kept = keepTickShape();
      for (let collection = 0; collection < 5; collection++) {
        gc();
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      let fresh;
      const hook = createHook({ init: (id, type, trigger, resource) => { if (type === 'TickObject') fresh ??= resource; } });
      hook.enable();
      process.nextTick(() => undefined);
      hook.disable();
      console.log(fresh !== kept && %HaveSameMap(fresh, kept));
    `;
    const flags = ['--expose-gc', '--allow-natives-syntax', '--input-type=module', '--eval', script];
    expect(execFileSync(process.execPath, flags, { encoding: 'utf8' })).toBe('true\n');
  });

  it('leaves no hook behind', () => {
    const script = `
      import { keepTickShape } from ${JSON.stringify(join(import.meta.dirname, '../../src/process/tick-shape.ts'))};
      import { createRequire } from 'node:module';
      keepTickShape();
      console.log(createRequire(import.meta.url)('internal/async_hooks').initHooksExist());
    `;
    const flags = ['--expose-internals', '--input-type=module', '--eval', script];
    expect(execFileSync(process.execPath, flags, { encoding: 'utf8', cwd: import.meta.dirname })).toBe('false\n');
  });
});

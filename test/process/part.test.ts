import { describe, expect, it } from 'vitest';
import { PartRunner, type Part } from '../../src/process/part.ts';

/** Parts that note what is done to them. */
class Recorded {
  readonly events: string[] = [];

  part(name: string, behaviour: Partial<Part> = {}): Part {
    return {
      start: () => {
        this.events.push(`start ${name}`);
        return behaviour.start?.();
      },
      stop: () => {
        this.events.push(`stop ${name}`);
        return behaviour.stop?.();
      },
      lead: (isLeader) => {
        this.events.push(`lead ${name} ${String(isLeader)}`);
      },
    };
  }
}

/** Lets every promise settle that needs nothing from outside. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('starting', () => {
  it('starts a part once the one before it has started', async () => {
    const recorded = new Recorded();
    const gate = Promise.withResolvers<undefined>();
    const started = new PartRunner().start([recorded.part('a', { start: () => gate.promise }), recorded.part('b')]);
    await settled();
    expect(recorded.events).toEqual(['start a']);
    gate.resolve(undefined);
    await started;
    expect(recorded.events).toEqual(['start a', 'start b']);
  });

  it('that fails stops the parts begun so far in reverse order, waits for their ends, and gives the error of the part', async () => {
    const recorded = new Recorded();
    let isEnded = false;
    const slow = async (): Promise<void> => {
      await settled();
      isEnded = true;
    };
    const failing = recorded.part('c', { start: () => Promise.reject(new Error('the port is taken')) });
    const started = new PartRunner().start([
      recorded.part('a', { stop: slow }),
      recorded.part('b'),
      failing,
      recorded.part('d'),
    ]);
    await expect(started).rejects.toThrow('the port is taken');
    expect(recorded.events).toEqual(['start a', 'start b', 'start c', 'stop c', 'stop b', 'stop a']);
    expect(isEnded).toBe(true);
  });

  it('that throws is a start that fails', async () => {
    const recorded = new Recorded();
    const throwing = recorded.part('a', {
      start: () => {
        throw new Error('no such file');
      },
    });
    await expect(new PartRunner().start([throwing])).rejects.toThrow('no such file');
    expect(recorded.events).toEqual(['start a', 'stop a']);
  });

  it('that fails gives its own error also when a stop fails, too', async () => {
    const recorded = new Recorded();
    const stop = (): Promise<void> => Promise.reject(new Error('cannot stop'));
    const start = (): Promise<void> => Promise.reject(new Error('cannot start'));
    await expect(new PartRunner().start([recorded.part('a', { start, stop })])).rejects.toThrow('cannot start');
  });
});

describe('stopping', () => {
  it('calls the stops in reverse order, side by side', async () => {
    const recorded = new Recorded();
    const gate = Promise.withResolvers<undefined>();
    const runner = new PartRunner();
    await runner.start([recorded.part('a'), recorded.part('b'), recorded.part('c', { stop: () => gate.promise })]);
    const stopped = runner.stop();
    expect(recorded.events.slice(3)).toEqual(['stop c', 'stop b', 'stop a']);
    gate.resolve(undefined);
    await stopped;
  });

  it('twice stops each part once, and both calls wait for the end', async () => {
    const recorded = new Recorded();
    const gate = Promise.withResolvers<undefined>();
    const runner = new PartRunner();
    await runner.start([recorded.part('a', { stop: () => gate.promise })]);
    const ends: string[] = [];
    const both = ['first', 'second'].map((name) => runner.stop().then(() => ends.push(name)));
    await settled();
    expect(ends).toEqual([]);
    gate.resolve(undefined);
    await Promise.all(both);
    expect(recorded.events).toEqual(['start a', 'stop a']);
  });

  it('during the start of a part stops that part at once and again when its start is over, and starts no further part', async () => {
    const recorded = new Recorded();
    const gate = Promise.withResolvers<undefined>();
    const runner = new PartRunner();
    const started = runner.start([
      recorded.part('a'),
      recorded.part('b', { start: () => gate.promise }),
      recorded.part('c'),
    ]);
    const failure = expect(started).rejects.toThrow('stopped before all parts had started');
    await settled();
    const stopped = runner.stop();
    await settled();
    expect(recorded.events).toEqual(['start a', 'start b', 'stop b', 'stop a']);
    gate.resolve(undefined);
    await Promise.all([failure, stopped]);
    expect(recorded.events.slice(4)).toEqual(['stop b']);
  });

  it('during a start that waits for as long as nobody stops it ends that start', async () => {
    const gate = Promise.withResolvers<undefined>();
    const runner = new PartRunner();
    const waiting: Part = { start: () => gate.promise, stop: () => gate.reject(new Error('given up')) };
    const failure = expect(runner.start([waiting])).rejects.toThrow('given up');
    await settled();
    await Promise.all([runner.stop(), failure]);
  });

  it('stops all parts also when some of them fail to stop, and then gives the first error', async () => {
    const recorded = new Recorded();
    const stop = (): void => {
      throw new Error('cannot stop');
    };
    const runner = new PartRunner();
    await runner.start([recorded.part('a'), recorded.part('b', { stop })]);
    await expect(runner.stop()).rejects.toThrow('cannot stop');
    expect(recorded.events.slice(2)).toEqual(['stop b', 'stop a']);
  });

  it('before the start keeps every part from starting', async () => {
    const recorded = new Recorded();
    const runner = new PartRunner();
    await runner.stop();
    await expect(runner.start([recorded.part('a')])).rejects.toThrow('stopped before all parts had started');
    expect(recorded.events).toEqual([]);
  });
});

it('every part is told who leads, also one that has not started yet', async () => {
  const recorded = new Recorded();
  const gate = Promise.withResolvers<undefined>();
  const runner = new PartRunner();
  const started = runner.start([recorded.part('a', { start: () => gate.promise }), recorded.part('b')]);
  runner.lead(true);
  runner.lead(false);
  gate.resolve(undefined);
  await started;
  expect(recorded.events).toEqual(['start a', 'lead a true', 'lead b true', 'lead a false', 'lead b false', 'start b']);
});

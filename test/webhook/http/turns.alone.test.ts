import { describe, expect, it, vi } from 'vitest';
import { Turns, timedTurns, type Waiting } from '../../../src/webhook/http/turns.ts';

/** A queue, and who has had a turn or was told to go, in order: `a/team1`, or `a/team1 refused`. */
function queue(clock = { time: 0 }): {
  turns: Turns;
  came: string[];
  wait: (who: string, more?: Partial<Waiting>) => Promise<void>;
} {
  const turns = new Turns(() => clock.time);
  const came: string[] = [];
  const wait = (who: string, more: Partial<Waiting> = {}): Promise<void> => {
    const [address = '', namespace = ''] = who.split('/');
    return turns
      .wait({ address, namespace, milliseconds: 10_000, ...more }, (hasTurn) => Promise.resolve(hasTurn))
      .then((hasTurn) => void came.push(hasTurn ? who : `${who} refused`));
  };
  return { turns, came, wait };
}

async function all(turns: Turns): Promise<void> {
  while (turns.next()) await Promise.resolve();
  await Promise.resolve();
}

describe('turns', () => {
  it('go round the namespaces of an address, so a flood delays its own namespace', async () => {
    const { turns, came, wait } = queue();
    for (const who of ['a/flood', 'a/flood', 'a/flood', 'a/shop', 'a/shop', 'a/cart']) void wait(who);
    await all(turns);
    expect(came).toEqual(['a/flood', 'a/shop', 'a/cart', 'a/flood', 'a/shop', 'a/flood']);
  });

  it('go round the addresses first, so an address gains nothing by many namespaces', async () => {
    const { turns, came, wait } = queue();
    for (const who of ['x/1', 'x/2', 'x/3', 'x/4', 'api/shop', 'api/shop']) void wait(who);
    await all(turns);
    expect(came).toEqual(['x/1', 'api/shop', 'x/2', 'api/shop', 'x/3', 'x/4']);
  });

  it('are not given to what does not fit, and others of its address wait behind it', async () => {
    const { turns, came, wait } = queue();
    let fits = false;
    void wait('a/large', { take: () => fits });
    void wait('a/other');
    void wait('b/small');
    await all(turns);
    expect(came).toEqual(['b/small']);
    fits = true;
    await all(turns);
    expect(came).toEqual(['b/small', 'a/large', 'a/other']);
  });

  it('end with a refusal after the longest wait, and what is refused takes no turn', async () => {
    vi.useFakeTimers();
    try {
      const { turns, came, wait } = queue();
      void wait('a/1', { milliseconds: 500 });
      void wait('a/1', { milliseconds: 2000 });
      await vi.advanceTimersByTimeAsync(1000);
      expect(came).toEqual(['a/1 refused']);
      await all(turns);
      expect(came).toEqual(['a/1 refused', 'a/1']);
      expect([turns.next(), vi.getTimerCount()]).toEqual([false, 0]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('wait for no longer than half of the longest timeout, whatever a caller says', async () => {
    vi.useFakeTimers();
    try {
      const { came, wait } = queue();
      void wait('a/1', { milliseconds: Infinity });
      void wait('a/2', { milliseconds: -1 });
      await vi.advanceTimersByTimeAsync(1);
      expect(came).toEqual(['a/2 refused']);
      await vi.advanceTimersByTimeAsync(15_000);
      expect(came).toEqual(['a/2 refused', 'a/1 refused']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('are refused at once to a namespace of which 30 wait, the first for a second', async () => {
    const clock = { time: 0 };
    const { turns, came, wait } = queue(clock);
    for (let count = 0; count < 40; count += 1) void wait('a/burst');
    clock.time = 999;
    void wait('a/burst');
    await Promise.resolve();
    expect(came).toEqual([]);
    clock.time = 1000;
    await wait('a/burst');
    void wait('a/other');
    expect(came).toEqual(['a/burst refused']);
    await all(turns);
    expect(came).toHaveLength(43);
  });
});

describe('work in timed turns', () => {
  /** Work of so many milliseconds, and who has done it, in order. */
  function workers(): { did: string[]; work: (who: string, milliseconds: number) => Promise<unknown> } {
    let time = 0;
    const did: string[] = [];
    const turn = timedTurns(() => time);
    const work = (who: string, milliseconds: number): Promise<unknown> => {
      const [address = '', namespace = ''] = who.split('/');
      const waiting = (): Waiting => ({ address, namespace, milliseconds: 10_000, isLong: milliseconds > 10 });
      return turn(waiting, () => {
        did.push(who);
        time += milliseconds;
        return Promise.resolve();
      });
    };
    return { did, work };
  }

  it('is done at once as long as the turn of the event loop has time', () => {
    const { did, work } = workers();
    for (let count = 0; count < 11; count += 1) void work('a/1', 1);
    expect(did).toHaveLength(10);
  });

  it('leaves time for what arrives meanwhile, and a namespace that came late is not behind a flood', async () => {
    const { did, work } = workers();
    const flood = Array.from({ length: 6 }, () => work('a/flood', 10));
    expect(did).toEqual(['a/flood']);
    const late = work('a/shop', 10);
    const before = new Promise((resolve) => setImmediate(() => resolve(did.length)));
    expect(await before).toBe(2);
    await late;
    expect(did).toEqual(['a/flood', 'a/flood', 'a/shop']);
    await Promise.all(flood);
    expect(did).toHaveLength(7);
  });

  it('does short work of the queue together, and then takes new work at once again', async () => {
    const { did, work } = workers();
    void work('a/1', 10);
    await Promise.all([work('a/1', 1), work('a/2', 1), work('a/1', 1)]);
    expect(did).toEqual(['a/1', 'a/1', 'a/2', 'a/1']);
    await new Promise(setImmediate);
    void work('a/3', 1);
    expect(did.at(-1)).toBe('a/3');
  });

  it('lets answers out before long work of the queue begins', async () => {
    const { did, work } = workers();
    void work('a/long', 10);
    const answers = [1, 20].map((milliseconds, index) =>
      work(`a/${index}`, milliseconds)
        .then(() => Promise.resolve())
        .then(() => did.push(`answer to ${index}`)),
    );
    await Promise.all(answers);
    expect(did).toEqual(['a/long', 'a/0', 'answer to 0', 'a/1', 'answer to 1']);
  });

  it('is done at once and without a turn in a flood, and what waits takes its turn', async () => {
    let time = 0;
    const turn = timedTurns(() => time);
    const who = (): Waiting => ({ address: 'a', namespace: 'flood', milliseconds: 10_000 });
    const work = (hasTurn: boolean): Promise<boolean> => {
      time += 10;
      return Promise.resolve(hasTurn);
    };
    const waiting = Array.from({ length: 31 }, () => turn(who, work));
    time = 1010;
    expect(await turn(who, work)).toBe(false);
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => true));
  });

  it('rejects with what its work throws, and goes on', async () => {
    const turn = timedTurns(() => performance.now());
    const fail = (): Promise<never> => Promise.reject(new Error('no text'));
    const who = (): Waiting => ({ address: 'a', namespace: '1', milliseconds: 10_000 });
    await expect(turn(who, fail)).rejects.toThrow('no text');
    expect(await turn(who, () => Promise.resolve('done'))).toBe('done');
  });
});

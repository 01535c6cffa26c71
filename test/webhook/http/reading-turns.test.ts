import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Addresses } from '../../../src/process/addresses.ts';
import { ProcessorMeter } from '../../../src/webhook/http/processor-meter.ts';
import { ReadingTurns } from '../../../src/webhook/http/reading-turns.ts';
import type { Socket } from 'node:net';

class Connection extends EventEmitter {
  readonly remoteAddress: string;
  isRead = true;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  isPaused(): boolean {
    return !this.isRead;
  }

  pause(): void {
    this.isRead = false;
  }

  resume(): void {
    this.isRead = true;
    this.emit('resume');
  }
}

interface World {
  readonly turns: ReadingTurns;
  readonly delayed: string[];
  readonly open: (address: string, count: number) => Connection[];
  /** Reads from the connections that may be read from, in their order, and gives those that were. */
  readonly read: (connections: readonly Connection[], milliseconds: number) => Connection[];
  readonly endTurn: () => void;
}

function world(): World {
  let now = 0;
  const addresses = new Addresses(() => now);
  const later: (() => void)[] = [];
  const delayed: string[] = [];
  const turns = new ReadingTurns({
    addresses,
    meter: new ProcessorMeter(() => now),
    later: (work) => later.push(work),
    delayed: ({ name }) => delayed.push(name),
  });
  return {
    turns,
    delayed,
    open: (address, count) =>
      Array.from({ length: count }, () => {
        const connection = new Connection(address);
        turns.add(connection as unknown as Socket);
        return connection;
      }),
    read: (connections, milliseconds) =>
      connections.filter((connection) => {
        if (!connection.isRead) return false;
        now += milliseconds;
        turns.came(connection as unknown as Socket);
        return true;
      }),
    endTurn: () => {
      for (const work of later.splice(0)) work();
    },
  };
}

describe('in one turn of the event loop', () => {
  it('an address is read from until it has used its part, whatever else it has sent', () => {
    const { open, read, delayed } = world();
    const flood = open('flood', 90);
    expect(read(flood, 3)).toHaveLength(4);
    expect(flood.some(({ isRead }) => isRead)).toBe(false);
    expect(delayed).toEqual(['flood']);
  });

  it('others are read from all the same', () => {
    const { open, read } = world();
    const flood = open('flood', 90);
    const others = open('other', 5);
    read(flood, 3);
    expect(read(others, 1)).toHaveLength(5);
  });

  it('those addresses are not read from any more that have used much lately, when all together have used too much', () => {
    const { open, read, endTurn } = world();
    const floods = Array.from({ length: 20 }, (_, index) => open(`flood ${index}`, 1)).flat();
    const others = open('other', 1);
    for (let count = 0; count < 4; count += 1)
      for (const flood of floods) {
        read([flood], 9);
        endTurn();
      }
    expect(read(floods, 7)).toHaveLength(3);
    expect(floods.some(({ isRead }) => isRead)).toBe(false);
    expect(read(others, 0.5)).toHaveLength(1);
    expect(others.every(({ isRead }) => isRead)).toBe(true);
  });
});

describe('in the turns that follow', () => {
  it('all connections of an address are read from in turn, some at a time', () => {
    const { open, read, endTurn } = world();
    const flood = open('flood', 20);
    const seen = new Set(read(flood, 4));
    let count = 0;
    for (; seen.size < 20 && count < 30; count += 1) {
      endTurn();
      const some = read(flood, 4);
      expect(some.length).toBeLessThanOrEqual(3);
      for (const one of some) seen.add(one);
    }
    expect(seen.size).toBe(20);
  });

  it('all are read from again once they use little', () => {
    const { open, read, endTurn } = world();
    const flood = open('flood', 20);
    read(flood, 4);
    for (let count = 0; count < 12; count += 1) endTurn();
    expect(flood.every(({ isRead }) => isRead)).toBe(true);
  });

  it('the address goes on that has used less lately', () => {
    const { open, read, endTurn } = world();
    const [more, less] = [open('more', 5), open('less', 5)];
    read(more, 15);
    read(less, 11);
    endTurn();
    expect([more, less].map((all) => all.filter(({ isRead }) => isRead).length)).toEqual([0, 1]);
  });

  it('a connection that Node resumes by itself, or that waits for something else, is not read from', () => {
    const { turns, open, read, endTurn } = world();
    const flood = open('flood', 2);
    const [first, second] = flood;
    if (first === undefined || second === undefined) throw new Error('unreachable');
    turns.block(second as unknown as Socket);
    read(flood, 20);
    first.resume();
    expect(first.isRead).toBe(false);
    for (let count = 0; count < 5; count += 1) endTurn();
    expect([first.isRead, second.isRead]).toEqual([true, false]);
    turns.unblock(second as unknown as Socket);
    expect(second.isRead).toBe(true);
  });

  it('closed connections are forgotten', () => {
    const { open, read, endTurn } = world();
    const flood = open('flood', 3);
    read(flood, 20);
    flood[1]?.emit('close');
    endTurn();
    endTurn();
    endTurn();
    expect(flood.map(({ isRead }) => isRead)).toEqual([true, false, true]);
  });
});

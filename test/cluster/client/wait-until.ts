import { setTimeout as sleep } from 'node:timers/promises';

/** Asks until the answer is true. Gives up long after anything that works would have come. */
export async function waitUntil(what: string, ask: () => boolean, timeout = 120_000): Promise<void> {
  const end = performance.now() + timeout;
  while (!ask()) {
    if (performance.now() >= end) throw new Error(`waited ${timeout} ms in vain until ${what}`);
    await sleep(5);
  }
}

import { expect, it } from 'vitest';
import { isPublicWord } from '../../../src/engine/port/public-words.ts';

it.each([
  ['a word of a shell', 'then'],
  ['a folder', 'usr'],
  ['a word of a setting, in capitals', 'SSL'],
  ['a part of a product', 'querier'],
  ['a word of a port', 'metrics'],
  ['an address of the container itself', '127.0.0.1'],
  ['a name of the container itself', 'localhost'],
  ['a program', 'redis-cli'],
  ['a shell', 'bash'],
  ['a program that starts another one', 'nohup'],
])('%s is known to anybody: %s', (_, word) => expect(isPublicWord(word)).toBe(true));

it.each(['acme', 'hunter2', 'billing-eu', '10.1.2.3', ''])('what only its owner knows is not public: %j', (word) =>
  expect(isPublicWord(word)).toBe(false),
);

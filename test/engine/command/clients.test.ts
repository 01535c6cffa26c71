import { describe, expect, it } from 'vitest';
import { CURL, NETCAT, WGET, plainOperands, type ClientOptions } from '../../../src/engine/command/clients.ts';

const operands = (client: ClientOptions, line: string): string[] => plainOperands(line.split(' '), client);

describe('the words of a client that are no options', () => {
  it('are left when each option changes nothing that a probe reads', () => {
    expect(operands(CURL, '-fsS -m 3 --retry 2 -o /dev/null localhost')).toEqual(['localhost']);
    expect(operands(WGET, '-qO - -T 2 localhost')).toEqual(['localhost']);
    expect(operands(NETCAT, '-zw 3 localhost 80')).toEqual(['localhost', '80']);
  });

  it('are none when an option changes the request, and when there are too many', () => {
    expect(operands(CURL, '-H a:b localhost')).toEqual([]);
    expect(operands(WGET, '--header a:b localhost')).toEqual([]);
    expect(operands(NETCAT, '-u localhost 80')).toEqual([]);
    expect(operands(CURL, 'localhost '.repeat(100).trim()).length).toBe(100);
    expect(operands(CURL, 'localhost '.repeat(101).trim())).toEqual([]);
  });
});

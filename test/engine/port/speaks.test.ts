import { describe, expect, it } from 'vitest';
import type { ServicesOfPod, ServiceWord } from '../../../src/engine/facts/services.ts';
import { neverHttp, speaks } from '../../../src/engine/port/speaks.ts';
import { isNamedForHttps } from '../../../src/engine/port/tls.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import { containerWith } from './container-with.ts';

/** A port from its name, its number after a colon, or both. */
function portOf(text: string): { readonly name: string | undefined; readonly number: number } {
  const [name, number = '8080'] = text.split(':');
  return { name: name === '' ? undefined : name, number: Number(number) };
}

const servicesThatSay = (words: readonly ServiceWord[]): ServicesOfPod => ({ selecting: () => [], say: () => words });

/** A case of test/fixtures/port-protocols.yaml: each port stands alone in a container with these members. */
interface Case {
  readonly ports: readonly string[];
  readonly services?: readonly string[];
  readonly container?: Readonly<Record<string, unknown>>;
  readonly beside?: readonly string[];
}

describe('the protocol of a port', () =>
  describeCases('test/fixtures/port-protocols.yaml', ['speaks', 'neverHttp', 'forHttps'], (given) => {
    const { ports, services = [], container = {}, beside = [] } = given as unknown as Case;
    const around = servicesThatSay(services.map((text) => ({ service: 'web', text })));
    const all = ports.map((text) => {
      const declared = [text, ...beside].map(portOf).map(({ name, number }) => ({
        containerPort: number,
        ...(name !== undefined && { name }),
      }));
      const owner = containerWith({ ...container, ports: declared });
      const [port] = owner.readablePorts;
      if (port === undefined) throw new Error('no port');
      return [text, owner, port] as const;
    });
    // A Service speaks of the port alone, not of those beside it.
    const said = all.map(([text, owner, port]) => {
      const only: ServicesOfPod = { ...around, say: (one) => (one.number === port.number ? around.say(one) : []) };
      const found = speaks(port, owner, only);
      const what = found.protocol === undefined ? found.speaks : `${found.speaks}: ${found.protocol}`;
      return [text, found.sign === undefined ? what : `${what} by ${found.sign}`] as const;
    });
    const never = all.flatMap(([text, , port]) => {
      const found = neverHttp(port, around);
      return found === undefined ? [] : [[text, `${found.protocol} because of ${found.because}`] as const];
    });
    const forHttps = ports.filter((text) => isNamedForHttps(portOf(text)));
    return {
      speaks: Object.fromEntries(said),
      neverHttp: never.length > 0 ? Object.fromEntries(never) : undefined,
      forHttps: forHttps.length > 0 ? forHttps : undefined,
    };
  }));

it('a name of metrics in the port is HTTP without health, whatever its number is', () => {
  const owner = containerWith({ ports: [{ name: 'metrics', containerPort: 9092 }] });
  const [port] = owner.readablePorts;
  expect(port && speaks(port, owner, servicesThatSay([])).speaks).toBe('metrics');
});

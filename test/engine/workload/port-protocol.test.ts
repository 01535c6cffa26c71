import { describe } from 'vitest';
import { isNamedForHttps, neverHttp, protocolOfPort } from '../../../src/engine/workload/port-protocol.ts';
import { describeCases } from '../../support/recorded-cases.ts';

/** A port from its name, its number after a colon, or both. */
function portOf(text: string): { readonly name: string | undefined; readonly number: number } {
  const [name, number = '8080'] = text.split(':');
  return { name: name === '' ? undefined : name, number: Number(number) };
}

describe('the protocol of a port', () =>
  describeCases('test/fixtures/port-protocols.yaml', ['protocols', 'neverHttp', 'forHttps'], (given) => {
    const { ports, services = [] } = given as { ports: readonly string[]; services?: readonly string[] };
    const hints = services.map((text) => ({ service: 'web', text }));
    const protocols = ports.map((text) => {
      const found = protocolOfPort(portOf(text), hints);
      return [text, found.speaks === 'other' ? found.protocol : found.speaks] as const;
    });
    const never = ports.flatMap((text) => {
      const found = neverHttp(portOf(text), hints);
      return found === undefined ? [] : [[text, `${found.protocol} because of ${found.because}`] as const];
    });
    const forHttps = ports.filter((text) => isNamedForHttps(portOf(text)));
    return {
      protocols: Object.fromEntries(protocols),
      neverHttp: never.length > 0 ? Object.fromEntries(never) : undefined,
      forHttps: forHttps.length > 0 ? forHttps : undefined,
    };
  }));

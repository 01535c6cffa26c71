import { derElements } from './der.ts';

/** The name constraints of a CA (RFC 5280, 4.2.1.10), as far as they bear on DNS names and IP addresses. */
export interface NameConstraints {
  readonly permitted: Subtrees;
  readonly excluded: Subtrees;
  /** Whether there are constraints on other kinds of names than DNS, IP, email and URI, which Go does not know. */
  readonly hasUnknownKinds: boolean;
}

interface Subtrees {
  readonly dns: readonly string[];
  /** Address and mask, one behind the other: 8 or 32 bytes. */
  readonly ip: readonly Buffer[];
}

/** The tags of GeneralName. */
const GENERAL_NAMES = { email: 0x81, dns: 0x82, uri: 0x86, ip: 0x87 } as const;
const PERMITTED = 0xa0;
const EXCLUDED = 0xa1;

/** Reads the extension's value. Throws on one that Go would not read. */
export function readNameConstraints(value: Buffer): NameConstraints {
  const [all] = derElements(value);
  const parts = derElements(all?.content ?? Buffer.alloc(0));
  const bases = (tag: number): readonly Base[] =>
    parts.filter((part) => part.tag === tag).flatMap(({ content }) => derElements(content).map(readBase));
  const [permitted, excluded] = [bases(PERMITTED), bases(EXCLUDED)];
  if (permitted.length + excluded.length === 0) throw new Error('its name constraints are empty');
  const known: readonly number[] = Object.values(GENERAL_NAMES);
  return {
    permitted: subtrees(permitted),
    excluded: subtrees(excluded),
    hasUnknownKinds: [...permitted, ...excluded].some(({ tag }) => !known.includes(tag)),
  };
}

/** Why a DNS name may not be in a certificate below the CA; undefined when it may. */
export function dnsNameProblem(name: string, { permitted, excluded }: NameConstraints): string | undefined {
  const within = (constraint: string): boolean => isWithinDomain(name, constraint);
  const excluding = excluded.dns.find(within);
  if (excluding !== undefined) return `its name constraints exclude ${JSON.stringify(excluding)}, and so ${name}`;
  if (permitted.dns.length === 0 || permitted.dns.some(within)) return undefined;
  return `its name constraints permit only ${permitted.dns.map((dns) => JSON.stringify(dns)).join(', ')}, not ${name}`;
}

/** Why an IP address, 4 or 16 bytes, may not be in a certificate below the CA; undefined when it may. */
export function addressProblem(address: Buffer, { permitted, excluded }: NameConstraints): string | undefined {
  const within = (constraint: Buffer): boolean => isWithinNetwork(address, constraint);
  if (excluded.ip.some(within)) return 'its name constraints exclude an IP address of the certificate';
  if (permitted.ip.length === 0 || permitted.ip.some(within)) return undefined;
  return 'its name constraints do not permit an IP address of the certificate';
}

interface Base {
  readonly tag: number;
  readonly content: Buffer;
}

function readBase({ content }: Base): Base {
  const [base] = derElements(content);
  if (base === undefined) throw new Error('its name constraints hold an empty subtree');
  if (base.tag === GENERAL_NAMES.ip && base.content.length !== 8 && base.content.length !== 32)
    throw new Error('its name constraints hold an IP range that is none');
  return base;
}

function subtrees(bases: readonly Base[]): Subtrees {
  const contents = (tag: number): readonly Buffer[] =>
    bases.flatMap((base) => (base.tag === tag ? [base.content] : []));
  return {
    dns: contents(GENERAL_NAMES.dns).map((content) => content.toString('latin1')),
    ip: contents(GENERAL_NAMES.ip),
  };
}

/**
 * As Go has it: `example.com` covers itself and what is below it, `.example.com` only what is below it, an empty one
 * everything.
 */
function isWithinDomain(name: string, constraint: string): boolean {
  if (constraint === '') return true;
  const domain = constraint.toLowerCase();
  const host = name.toLowerCase();
  return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
}

function isWithinNetwork(address: Buffer, constraint: Buffer): boolean {
  if (constraint.length !== 2 * address.length) return false;
  return address.every((byte, index) => {
    const mask = constraint[address.length + index] ?? 0;
    return (byte & mask) === ((constraint[index] ?? 0) & mask);
  });
}

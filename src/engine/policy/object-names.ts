import { quoted } from '../../base/json/quoted-value.ts';

export const POLICY_GROUP = 'probewright.dev';
export const POLICY_API_VERSION = `${POLICY_GROUP}/v1alpha1`;

/** A DNS-1123 label without its limit of 63 characters, as in names of containers (apimachinery IsDNS1123Label). */
export const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';

const LABEL = new RegExp(`^(?=.{1,63}$)${DNS_LABEL}$`);
const SUBDOMAIN = new RegExp(`^(?=.{1,253}$)${DNS_LABEL}(\\.${DNS_LABEL})*$`);

/** True for up to 63 lower-case letters, digits and dashes, with a letter or digit at both ends. */
export function isDnsLabel(text: string): boolean {
  return LABEL.test(text);
}

/** The name of most Kubernetes objects, and the prefix of a label key (apimachinery IsDNS1123Subdomain). */
export function isDnsSubdomain(text: string): boolean {
  return SUBDOMAIN.test(text);
}

export function objectNameProblem(name: string): string | undefined {
  if (isDnsSubdomain(name)) return undefined;
  return `${quoted(name)} is not an object name: lower-case letters, digits, "-" and "."`;
}

/** Why no container can have a name, so that nothing would ever apply to it; undefined for a possible name. */
export function containerNameProblem(name: string): string | undefined {
  if (isDnsLabel(name)) return undefined;
  return `${quoted(name)} is not a container name: lower-case letters, digits and "-", such as "app"`;
}

import { DNS_LABEL } from './dns-label.ts';

const SUBDOMAIN = new RegExp(`^(?=.{1,253}$)${DNS_LABEL}(\\.${DNS_LABEL})*$`);

/**
 * True for a DNS-1123 subdomain: the name of most Kubernetes objects, and the prefix of a label key (apimachinery
 * IsDNS1123Subdomain).
 */
export function isDnsSubdomain(text: string): boolean {
  return SUBDOMAIN.test(text);
}

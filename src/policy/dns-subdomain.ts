import { DNS_LABEL } from './dns-label.ts';

const SUBDOMAIN = new RegExp(`^(?=.{1,253}$)${DNS_LABEL}(\\.${DNS_LABEL})*$`);

/**
 * What most Kubernetes objects are named by, and label keys prefixed with: a DNS-1123 subdomain (apimachinery
 * IsDNS1123Subdomain).
 */
export function isDnsSubdomain(text: string): boolean {
  return SUBDOMAIN.test(text);
}

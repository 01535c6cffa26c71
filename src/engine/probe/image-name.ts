/** Words with which an image says that it contains no shell and no tools. */
const WITHOUT_TOOLS: ReadonlySet<string> = new Set(['distroless', 'scratch']);
/** Words of images that contain a shell nevertheless: the debug images of distroless bring BusyBox. */
const WITH_TOOLS: ReadonlySet<string> = new Set(['debug', 'busybox', 'shell']);

/** The API server accepts an image name of any length. A registry accepts 255 characters and a digest. */
export const LONGEST_NAME = 1024;

/**
 * The parts of an image's path, the last one with its tag. The registry's host and the digest are left out. The first
 * part is a host when it has a dot or a port (distribution/reference, splitDockerDomain).
 */
export function partsOfImage(image: string): readonly string[] {
  const [name = ''] = image.split('@');
  const parts = name.split('/');
  return parts.slice(parts.length > 1 && /[.:]|^localhost$/.test(parts[0] ?? '') ? 1 : 0);
}

/**
 * Returns the word with which an image's name says that it contains no shell and no tools. The words of repository and
 * tag count: `gcr.io/distroless/static`, `acme/web:1.2-scratch`. The registry's host and the digest do not count.
 */
export function saysWithoutTools(image: string): string | undefined {
  if (image.length > LONGEST_NAME) return undefined;
  const words = partsOfImage(image).flatMap((part) => part.toLowerCase().split(/[^a-z0-9]+/));
  return words.some((word) => WITH_TOOLS.has(word)) ? undefined : words.find((word) => WITHOUT_TOOLS.has(word));
}

/** Proxies that stand in front of another container of their Pod and have no health of their own to report. */
const PROXIES = [
  'kube-rbac-proxy',
  'oauth-proxy',
  'oauth2-proxy',
  'keycloak-gatekeeper',
  'gogatekeeper',
  'louketo-proxy',
];

/** True for the image of a proxy that only forwards to another container of its Pod: `ose-kube-rbac-proxy:v4` too. */
export function isForwardingProxy(image: string): boolean {
  if (image.length > LONGEST_NAME) return false;
  const last = image.slice(image.lastIndexOf('/') + 1);
  const name = last.split(/[:@]/, 1)[0]?.replace(/-rhel\d+$/, '') ?? '';
  return PROXIES.some((proxy) => name === proxy || name.endsWith(`-${proxy}`));
}

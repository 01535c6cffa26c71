import { knownProgram } from './programs.ts';
import { isShell, wordSet } from './words.ts';

/** The parts of an image's name, each as it is written and empty when absent (distribution/reference). */
export interface ImageName {
  /** The host of the registry, with its port. */
  readonly registry: string;
  /** The repository in its registry: `library/nginx`. */
  readonly path: string;
  readonly tag: string;
  readonly digest: string;
}

/** A component of a repository's path (distribution/reference, pathComponent). */
export const PATH_COMPONENT = '[a-z0-9]+(?:[._-]+[a-z0-9]+)*';
const PATH = new RegExp(`^${PATH_COMPONENT}(?:/${PATH_COMPONENT})*$`);
const TAG = /^(?:\w[\w.-]{0,127})?$/;
/** Longest name without tag and digest (distribution/reference, NameTotalLengthMax). */
export const LONGEST_NAME = 255;
/** The API server accepts an image of any length. */
const MOST_CHARACTERS = 1024;

/**
 * Cuts the name of an image. The part in front of the first slash is a registry when it has a dot, a port or a capital,
 * or is `localhost` (distribution/reference, splitDockerDomain).
 */
export function readImage(image: string): ImageName {
  const [name = '', digest = ''] = image.slice(0, MOST_CHARACTERS).split('@', 2);
  const [first = ''] = name.split('/', 1);
  const hasRegistry = first.length < name.length && (/[.:A-Z]/.test(first) || first === 'localhost');
  const registry = hasRegistry ? first : '';
  const rest = hasRegistry ? name.slice(first.length + 1) : name;
  const colon = rest.indexOf(':', rest.lastIndexOf('/') + 1);
  const [path, tag] = colon < 0 ? [rest, ''] : [rest.slice(0, colon), rest.slice(colon + 1)];
  return { registry, path, tag, digest };
}

/** The image with its tag alone. */
export const withoutDigest = (image: string): string => image.split('@', 1)[0] ?? '';

/** The image without tag and digest. The tag changes with each release of the same application. */
export function repositoryOf(image: string): string {
  const { registry, path } = readImage(image);
  return registry === '' ? path : `${registry}/${path}`;
}

/** True for an image that names no version: without a digest, and with the tag `latest` or none. */
export function mayMove(image: string): boolean {
  const { tag, digest } = readImage(image);
  return digest === '' && (tag === '' || tag === 'latest');
}

/** What an image lacks, by its name. */
export interface Lacking {
  /** The word for the kind of image: `distroless`, `scratch`, `chiseled`, `pause`, `alpine`, `busybox`. */
  readonly kind: string;
  /** All shells and tools of an operating system, or bash alone. */
  readonly programs: 'tools' | 'bash';
}

/** Variants without a shell, as publishers name tags (`2.10-scratch`) and repositories (`web-distroless`). */
export const BARE_VARIANTS = ['distroless', 'scratch', 'chiseled', 'chiselled'];

/**
 * Images without a shell, by `registry/path`, or with the tag. Mirrors keep the end of the path. Other images of
 * Chainguard are left out, because some bring a shell. Sources: test/fixtures/images.yaml.
 */
export const BARE_IMAGES: readonly (readonly [kind: string, sign: RegExp])[] = [
  ['distroless', /\/distroless(?:\/|$)|\/distroless-(?:base|cc|java|nodejs|python|static)[^/]*$/],
  ['distroless', /(?:\/chainguard|cgr\.dev\/[^/]+|\/wolfi-dev)\/(?:glibc-dynamic|nginx|php|python|static)$/],
  ['chiseled', /\/ubuntu\/chiselled-[^/]+$/],
  ['pause', /(?:\.k8s\.io|k8s\.gcr\.io|\/google[-_]containers|\/kubernetes|\/eks|\/rancher)\/(?:mirrored-)?pause$/],
  ['pause', /\/pause-(?:amd64|arm|arm64|ppc64le|s390x)$/],
  // Mirrors keep the versions of Kubernetes.
  ['pause', /\/pause:3\.\d/],
];

/** Words of images that contain a shell nevertheless: the debug images of distroless bring BusyBox. */
const WITH_SHELL = wordSet('debug busybox shell');
/** The same words of tags: `latest-dev` of Chainguard, `non-distroless`. */
const TAGS_WITH_SHELL = wordSet('bash dev no non not sh');
/** Bases whose shell is BusyBox, as images and as words of tags: `1.25-alpine3.19-slim`. */
export const BASHLESS: readonly (readonly [kind: string, ofName: RegExp, ofTag: RegExp])[] = [
  ['busybox', /\/busybox$/, /^busybox$/],
  ['alpine', /^(?:docker\.io)?\/alpine$|\/library\/alpine$/, /^alpine\d*$/],
];
/** Docker's official images, and those built on them, that install bash in their Alpine variants. */
const BRINGS_BASH = /(?:^|[-_])(?:bash|ghost|influxdb|postg|pg|rabbitmq|redmine|timescaledb|wordpress)/;

/** What the publisher's naming says is not in the image. Undefined in doubt, and for a name that is none. */
export function lackingIn(image: string): Lacking | undefined {
  const { registry, path, tag } = readImage(image);
  if (registry.length + path.length > LONGEST_NAME || !PATH.test(path) || !TAG.test(tag)) return undefined;
  const last = path.slice(path.lastIndexOf('/') + 1);
  const tagWords = wordsOf(tag.toLowerCase());
  if (tagWords.some((word) => TAGS_WITH_SHELL.has(word))) return undefined;
  const name = `${registry.toLowerCase()}/${path}`;
  const kind =
    BARE_VARIANTS.find((word) => tagWords.includes(word) || last.endsWith(`-${word}`)) ??
    BARE_IMAGES.find(([, sign]) => sign.test(name) || sign.test(`${name}:${tag}`))?.[0];
  const hasShell = [...tagWords, ...wordsOf(path)].some((word) => WITH_SHELL.has(word));
  if (kind !== undefined && !hasShell) return { kind: kind === 'chiselled' ? 'chiseled' : kind, programs: 'tools' };
  const base = BASHLESS.find(([, ofName, ofTag]) => ofName.test(name) || tagWords.some((word) => ofTag.test(word)));
  return base === undefined || BRINGS_BASH.test(last) ? undefined : { kind: base[0], programs: 'bash' };
}

const wordsOf = (text: string): readonly string[] => text.split(/[._/-]+/);

/** True for a program that such an image does not have in the folders of its system. */
export function lacks({ programs }: Lacking, program: string): boolean {
  return programs === 'bash' ? program === 'bash' : isShell(program) || knownProgram(program)?.isTool === true;
}

/** Proxies that stand in front of another container of their Pod and have no health of their own to report. */
export const FORWARDING_PROXY =
  /(?:^|-)(?:kube-rbac-proxy|oauth2?-proxy|keycloak-gatekeeper|gogatekeeper|louketo-proxy)(?:-rhel\d+)?$/;

/** True for the image of a proxy that only forwards to another container of its Pod: `ose-kube-rbac-proxy:v4` too. */
export function isForwardingProxy(image: string): boolean {
  const { path } = readImage(image);
  return path.length <= LONGEST_NAME && FORWARDING_PROXY.test(path.slice(path.lastIndexOf('/') + 1));
}

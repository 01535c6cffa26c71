import { PATH_COMPONENT, readImage } from '../command/image.ts';

/** A pattern of images: the path of a name without registry, tag and digest. A part may be `*`. */
export const IMAGE_PATTERN = `^(?:\\*|${PATH_COMPONENT})(?:/(?:\\*|${PATH_COMPONENT}))*$`;

/** The problem of a pattern; undefined for a good one. */
export function imagePatternProblem(text: string): string | undefined {
  if (/^(?:[\w*.-]+\/)*[\w*.-]+(?::[^/]*|@.*)$/.test(text)) return 'must have no tag and no digest, such as postgres';
  return new RegExp(IMAGE_PATTERN).test(text)
    ? undefined
    : 'must be the path of an image without registry and tag, such as postgres, bitnami/postgresql or */keycloak';
}

/**
 * The path of an image's name, without registry, tag and digest. `library/` is left out, as `postgres` and
 * `docker.io/library/postgres:16` are one image.
 */
export function imagePath(image: string): string {
  return readImage(image).path.replace(/^library\/(?=[^/]*$)/, '');
}

/** True when one of the patterns fits the path of an image; both are split at `/`. `*` stands for one part. */
export function matchesPath(patterns: readonly (readonly string[])[], path: readonly string[]): boolean {
  const fits = (part: string, index: number): boolean => part === '*' || part === path[index];
  return patterns.some((wanted) => wanted.length === path.length && wanted.every(fits));
}

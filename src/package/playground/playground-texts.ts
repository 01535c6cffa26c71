/** The texts that a person writes in the playground. */
export interface PlaygroundTexts {
  readonly manifests: string;
  readonly policies: string;
}

/** The names that messages give to the texts. */
export const MANIFESTS_FILE = 'manifests.yaml';
export const POLICIES_FILE = 'policies.yaml';

/** A longer text is not judged: the page judges while a person types. */
export const LONGEST_TEXT = 400_000;

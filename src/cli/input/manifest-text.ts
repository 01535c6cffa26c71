import type { Position } from '../../yaml/reading/documents.ts';

/** A text with manifests or policies, and the name that messages give it. */
export interface ManifestText {
  readonly file: string;
  readonly text: string;
  /** Present for a text that a tool rendered. `file` is then a source of the text. */
  readonly rendered?: {
    /** The place in the source of a place in the text. */
    readonly place: (position: Position) => Position;
  };
}

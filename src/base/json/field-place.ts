import type { FieldPath, PathStep } from './field-path.ts';

/**
 * A place in a document, held as one small object. The full path is built only to report a problem. Most objects have
 * no problem, so code that walks through them builds no paths.
 */
export class FieldPlace {
  readonly parent: FieldPlace | FieldPath;
  readonly step: PathStep;

  /** @param parent the place above, or the path to it */
  constructor(parent: FieldPlace | FieldPath, step: PathStep) {
    this.parent = parent;
    this.step = step;
  }

  /** Returns the place one step below. */
  at(step: PathStep): FieldPlace {
    return new FieldPlace(this, step);
  }

  /** Returns the path from the top of the document to this place, extended by these steps. */
  path(...steps: readonly PathStep[]): FieldPath {
    const above = this.parent instanceof FieldPlace ? this.parent.path() : this.parent;
    return [...above, this.step, ...steps];
  }
}

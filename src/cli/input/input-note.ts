/** An input that is not checked as it will be applied, and the command that prints what will be applied. */
export interface InputNote {
  /** `chart web`. */
  readonly subject: string;
  /** The result in place of the usual one: `not rendered`. */
  readonly state: string;
  /** A command line whose output can be checked: `helm template web charts/web`. */
  readonly command: string;
}

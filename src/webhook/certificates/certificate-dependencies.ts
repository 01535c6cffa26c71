/** The clock, the log and the randomness that certificate sources work with. */
export interface CertificateDependencies {
  /** The wall clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** A number from 0 to 1. */
  readonly random: () => number;
  readonly log: CertificateLog;
  /** How long a watch lasts before it is renewed; absent = the reflector's own. */
  readonly watchRenewalMilliseconds?: number;
}

/** A log of events: fields and a constant message. A pino logger is one. */
export interface CertificateLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Certificates begin this long before they are made: the clocks of clients differ from ours. */
export const BACKDATED_MILLISECONDS = 3_600_000;

/** A certificate that clients may trust. */
export interface TrustRoot {
  /** One certificate, PEM as Node prints it: equal text means equal certificate. */
  readonly cert: string;
  /** When it ends, in milliseconds since the epoch. */
  readonly notAfter: number;
}

/** A trust root that we can sign with. */
export interface CertificateAuthority extends TrustRoot {
  /** PKCS#8 PEM. */
  readonly key: string;
  /** When it begins, in milliseconds since the epoch. */
  readonly notBefore: number;
}

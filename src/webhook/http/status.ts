import { visible } from '../../base/text/visible.ts';

/**
 * A Kubernetes Status (meta/v1): the body of every answer except AdmissionReviews. The API server shows the message of
 * the Status to the user in place of the bare HTTP code (client-go rest/request.go decodes the Status).
 */
export interface StatusBody {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly status: 'Failure';
  readonly message: string;
  readonly reason: string;
  readonly code: number;
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  408: 'Timeout',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  500: 'InternalError',
  503: 'ServiceUnavailable',
};

export function failureStatus(code: number, message: string): StatusBody {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    message: `probewright: ${visible(message)}`,
    reason: REASONS[code] ?? 'Unknown',
    code,
  };
}

/** An error that the server answers with this status code and message. */
export function httpError(statusCode: number, message: string): Error & { statusCode: number } {
  return Object.assign(new Error(message), { statusCode });
}

/** Converts a thrown value to an error. */
export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

import { visible } from '../../base/text/visible.ts';

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

/** A meta/v1 Status, whose message the API server shows in place of the bare HTTP code (client-go rest/request.go). */
export function failureStatus(
  code: number,
  message: string,
): Readonly<Record<string, unknown>> & { readonly message: string } {
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

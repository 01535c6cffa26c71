/** A meta/v1 Status of a failure. */
export function statusOf(code: number, reason: string, message: string, details?: object): object {
  const failure = { status: 'Failure', message, reason, ...(details && { details }), code };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, ...failure };
}

/** A refusal, in kube-apiserver's codes, reasons and words. */
export class StatusError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: object | undefined;

  constructor(code: number, reason: string, message: string, details?: object) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  static notFound(resource: string, name: string): StatusError {
    return new StatusError(404, 'NotFound', `${resource} "${name}" not found`, { name, kind: resource });
  }

  static alreadyExists(resource: string, name: string): StatusError {
    return new StatusError(409, 'AlreadyExists', `${resource} "${name}" already exists`, { name, kind: resource });
  }

  static conflict(resource: string, name: string): StatusError {
    const why = 'the object has been modified; please apply your changes to the latest version and try again';
    const message = `Operation cannot be fulfilled on ${resource} "${name}": ${why}`;
    return new StatusError(409, 'Conflict', message, { name, kind: resource });
  }

  static invalid(resource: string, name: string, why: string): StatusError {
    return new StatusError(422, 'Invalid', `${resource} "${name}" is invalid: ${why}`, { name, kind: resource });
  }

  /** A JSON patch whose `test` fails, or whose path is none, gets just this. */
  static unprocessable(): StatusError {
    return new StatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
  }

  static badRequest(why: string): StatusError {
    return new StatusError(400, 'BadRequest', why);
  }

  static expiredContinue(): StatusError {
    return new StatusError(
      410,
      'Expired',
      'The provided continue parameter is too old to display a consistent list result.',
    );
  }

  static tooLargeVersion(asked: number, current: number): StatusError {
    const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
    const message = `Timeout: Too large resource version: ${asked}, current: ${current}`;
    return new StatusError(504, 'Timeout', message, { causes, retryAfterSeconds: 1 });
  }

  static unsupportedMediaType(type: string | undefined): StatusError {
    const known = 'application/json-patch+json, application/merge-patch+json';
    const message = `the body of the request was in an unknown format (${type ?? ''}) - accepted media types include: ${known}`;
    return new StatusError(415, 'UnsupportedMediaType', message);
  }

  static notAcceptable(): StatusError {
    const message = 'only the following media types are accepted: application/json, application/yaml';
    return new StatusError(406, 'NotAcceptable', message);
  }

  static methodNotAllowed(): StatusError {
    return new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource');
  }

  static noSuchPath(): StatusError {
    return new StatusError(404, 'NotFound', 'the server could not find the requested resource');
  }

  toStatus(): object {
    return statusOf(this.code, this.reason, this.message, this.details);
  }
}

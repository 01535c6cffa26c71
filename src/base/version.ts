import manifest from '../../package.json' with { type: 'json' };

/** The running version. The build of the production bundle fills in the commit. */
export const VERSION: string = manifest.version;
export const COMMIT: string = process.env['PROBEWRIGHT_BUILD_COMMIT'] ?? 'unknown';

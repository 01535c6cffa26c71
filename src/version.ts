import manifest from '../package.json' with { type: 'json' };

/** What is running. The commit is filled in when the production bundle is built. */
export const VERSION: string = manifest.version;
export const COMMIT: string = process.env['PROBEWRIGHT_BUILD_COMMIT'] ?? 'unknown';

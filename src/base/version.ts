import manifest from '../../package.json' with { type: 'json' };

/** The running version. */
export const VERSION: string = manifest.version;

/** Checks by the checks that find something wherever they do: identical probes share their endpoint and their patience. */
export const IMPLIED_CHECKS: Readonly<Record<string, readonly string[]>> = { 'identical-probes': ['shared-endpoint'] };

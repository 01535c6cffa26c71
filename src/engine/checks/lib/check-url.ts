/** The page of the project. package.json and the chart name the same page. */
export const HOMEPAGE = 'https://github.com/probewright/probewright';

/** Returns the URL of a check's section in docs/checks.md. */
export function checkUrl(id: string): string {
  return `${HOMEPAGE}/blob/main/docs/checks.md#${encodeURIComponent(id)}`;
}

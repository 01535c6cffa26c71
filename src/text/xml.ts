import { visible } from './visible.ts';

/** Markup that has been escaped already. */
export type Markup = string;

/** Text as XML content or in a quoted attribute. Characters that XML 1.0 cannot hold are among those that become visible. */
export function escapeXml(text: string): Markup {
  return visible(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;');
}

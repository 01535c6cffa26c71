import { visible } from './visible.ts';

/** Markup that is already escaped. */
export type Markup = string;

/** Escapes text for XML content or for a quoted attribute. Characters that XML 1.0 forbids are made visible first. */
export function escapeXml(text: string): Markup {
  return visible(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;');
}

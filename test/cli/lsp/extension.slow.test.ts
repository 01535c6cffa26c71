import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { strFromU8, unzipSync } from 'fflate';
import { beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../../src/base/version.ts';
import { LEVELS } from '../../../src/engine/verdict/levels.ts';
import { vsix } from '../../../scripts/vscode/vsix.ts';

/** What VS Code reads of an extension, by its own reference of the manifest. */
const SETTING = {
  type: 'object',
  required: ['type', 'default', 'description'],
  properties: {
    type: { const: 'string' },
    default: { type: 'string' },
    enum: { type: 'array', items: { type: 'string' } },
    enumItemLabels: { type: 'array', items: { type: 'string' } },
    scope: { enum: ['application', 'machine', 'machine-overridable', 'window', 'resource'] },
    description: { type: 'string', pattern: '\\.$' },
  },
  additionalProperties: false,
};
const SCHEMA = {
  type: 'object',
  required: ['name', 'version', 'publisher', 'engines', 'main', 'activationEvents', 'contributes'],
  properties: {
    name: { type: 'string', pattern: '^[a-z][a-z0-9-]*$' },
    publisher: { type: 'string', pattern: '^[a-z][a-z0-9-]*$' },
    version: { const: VERSION },
    engines: {
      type: 'object',
      required: ['vscode'],
      properties: { vscode: { type: 'string', pattern: '^\\^\\d+\\.\\d+\\.\\d+$' } },
    },
    main: { type: 'string', pattern: '\\.js$' },
    activationEvents: { type: 'array', minItems: 1, items: { type: 'string', pattern: '^onLanguage:[a-z]+$' } },
    categories: { type: 'array', items: { enum: ['Linters', 'Programming Languages', 'Other'] } },
    contributes: {
      type: 'object',
      properties: {
        configuration: {
          type: 'object',
          required: ['title', 'properties'],
          properties: {
            title: { type: 'string' },
            properties: {
              type: 'object',
              patternProperties: { '^probewright\\.[a-z]+$': SETTING },
              additionalProperties: false,
            },
          },
        },
      },
      additionalProperties: false,
    },
  },
};

const TEXT = readFileSync('integrations/vscode/package.json', 'utf8');

describe('the extension of VS Code', () => {
  let files: Readonly<Record<string, Uint8Array>>;
  beforeAll(async () => {
    files = unzipSync(await vsix());
  });

  it('has a manifest by the schema, with settings for the path, the policies and the level', () => {
    const validate = new Ajv({ allErrors: true, strict: false }).compile(SCHEMA);
    const manifest = JSON.parse(TEXT) as {
      readonly contributes: { readonly configuration: { readonly properties: Record<string, { enum?: string[] }> } };
    };
    validate(manifest);
    expect(validate.errors).toBeNull();
    const { properties } = manifest.contributes.configuration;
    expect(Object.keys(properties)).toEqual(['probewright.path', 'probewright.policies', 'probewright.level']);
    expect(properties['probewright.level']?.enum).toEqual(['', ...LEVELS]);
  });

  it('has at most 80 lines, and is packed with the program, its manifest and all licences', () => {
    expect(readFileSync('integrations/vscode/extension.mts', 'utf8').split('\n').length).toBeLessThanOrEqual(80);
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining([
        ...['[Content_Types].xml', 'extension.vsixmanifest', 'extension/package.json', 'extension/extension.js'],
        ...[
          'extension/server/probewright.js',
          'extension/server/package.json',
          'extension/LICENSE.txt',
          'extension/README.md',
        ],
      ]),
    );
    expect(strFromU8(files['extension/package.json'] ?? new Uint8Array())).toBe(TEXT);
    expect(strFromU8(files['extension.vsixmanifest'] ?? new Uint8Array())).toContain(
      `<Identity Language="en-US" Id="probewright" Version="${VERSION}" Publisher="probewright"/>`,
    );
    const licences = strFromU8(files['extension/THIRD-PARTY-LICENCES.txt'] ?? new Uint8Array());
    for (const name of ['vscode-languageclient', 'vscode-languageserver', 'vscode-jsonrpc', 'yaml'])
      expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'));
  });
});

import { describe, expect, it } from 'vitest';
import { placesIn } from '../../../src/cli/input/template-places.ts';

/** The place of the only rendered line with this text: the template's line, the column and the value. */
function placeOf(template: string, rendered: string, text: string): readonly unknown[] {
  const lines = rendered.split('\n');
  const line = lines.findIndex((each) => each.trim() === text) + 1;
  expect(line, text).toBeGreaterThan(0);
  const place = placesIn(template, rendered)({ line, column: 1 });
  const value = place.valueOf([])?.name.join('.');
  return [template.split('\n')[place.line - 1]?.trim(), place.column, value];
}

const TEMPLATE = `{{- if .Values.enabled }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  template:
    spec:
      containers:
      - name: {{ .Values.container.name }}
        image: web
        {{- with .Values.live }}
        livenessProbe:
          {{- toYaml . | nindent 10 }}
        {{- end }}
        readinessProbe:
          httpGet:
            path: {{ .Values.ready.path | quote }}
            port: http
        startupProbe: {{ toYaml .Values.start | nindent 10 }}
        securityContext:

          {{- include "app.context" . | nindent 10 }}
      - name: sidecar
        image: proxy
        livenessProbe:
          periodSeconds: 7
{{- end }}`;

const RENDERED = `---
# Source: web/templates/web.yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  name: release
spec:
  template:
    spec:
      containers:
      - name: app
        image: web
        livenessProbe:
          tcpSocket:
            port: 80
        readinessProbe:
          httpGet:
            path: "/ready"
            port: http
        startupProbe:
          failureThreshold: 30
        securityContext:
          runAsNonRoot: true
      - name: sidecar
        image: proxy
        livenessProbe:
          periodSeconds: 7
`;

describe('the place in a template', () => {
  it('names no value for a line in flow style, which may compute several fields', () => {
    const place = placeOf(
      'kind: A\nspec: { port: {{ .Values.port }} }',
      'kind: A\nspec: { port: 80 }',
      'spec: { port: 80 }',
    );
    expect(place.slice(2)).toEqual([undefined]);
  });

  it.each([
    ['of a line that stands there as it is', 'port: http', ['port: http', 13, undefined]],
    ['of a computed value', 'path: "/ready"', ['path: {{ .Values.ready.path | quote }}', 13, 'ready.path']],
    ['of a computed item', '- name: app', ['- name: {{ .Values.container.name }}', 7, 'container.name']],
    ['below a key whose value is written by with', 'port: 80', ['livenessProbe:', 9, 'live']],
    [
      'below a key with a computed value',
      'failureThreshold: 30',
      ['startupProbe: {{ toYaml .Values.start | nindent 10 }}', 9, 'start'],
    ],
    ['of a name that is no value of the chart', 'name: release', ['name: {{ .Release.Name }}', 3, undefined]],
    ['below a helper that names no value', 'runAsNonRoot: true', ['securityContext:', 9, undefined]],
    ['in the second of two items', 'periodSeconds: 7', ['periodSeconds: 7', 11, undefined]],
    ['of a mapping that the template writes', 'httpGet:', ['httpGet:', 11, undefined]],
    ['of the first line', 'apiVersion: apps/v1', ['apiVersion: apps/v1', 1, undefined]],
  ])('is the line itself or the nearest key above it: %s', (_what, text, place) =>
    expect(placeOf(TEMPLATE, RENDERED, text)).toEqual(place),
  );

  it('is in the block of the key above: the same key of another container is another line', () => {
    const places = placesIn(TEMPLATE, RENDERED);
    const lines = RENDERED.split('\n');
    const probes = lines.flatMap((text, index) => (text.trim() === 'livenessProbe:' ? [index + 1] : []));
    const found = probes.map((line) => places({ line, column: 1 }).line);
    expect(found).toEqual([13, 26]);
  });

  it('is in the document of the kind, when two documents of a template have the same keys', () => {
    const template = 'kind: Service\nmetadata:\n  name: web\n---\nkind: Deployment\nmetadata:\n  name: web\n';
    const places = placesIn(template, `---\n${template}`);
    expect([4, 8].map((line) => places({ line, column: 1 }).line)).toEqual([3, 7]);
  });

  describe('is in the document that wrote the line, of several with one kind', () => {
    const pod = (name: string, port: number | string): string =>
      `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\nspec:\n  port: ${port}\n`;
    const linesFound = (template: string, rendered: string): number[] => {
      const places = placesIn(template, rendered);
      return rendered
        .split('\n')
        .flatMap((text, index) => (text.includes('port:') ? [places({ line: index + 1, column: 1 }).line] : []));
    };

    it('which has most of its lines', () => {
      const template = `${pod('a', 1)}---\n${pod('b', '{{ .Values.port }}')}`;
      expect(linesFound(template, `---\n${pod('a', 1)}---\n${pod('b', 1)}`)).toEqual([6, 13]);
      expect(linesFound(template, `---\n${pod('b', 2)}`)).toEqual([13]);
    });

    it('or, with the same lines, stands at its place', () => {
      const computed = pod('{{ .Values.name }}', '{{ .Values.port }}');
      const template = `${computed}---\nkind: Service\n---\n${computed}`;
      expect(linesFound(template, `${pod('a', 1)}---\n${pod('b', 2)}`)).toEqual([6, 15]);
    });

    it('and is the start where nobody can tell, because some are left out or repeated', () => {
      const computed = pod('{{ .name }}', '{{ .port }}');
      const template = `# a\n{{- range .Values.a }}\n---\n${computed}{{- end }}\n---\n${computed}`;
      const places = placesIn(template, pod('a', 1));
      expect(places({ line: 6, column: 3 })).toMatchObject({ line: 1, column: 1, isFound: true });
      expect(places({ line: 6, column: 3 }).valueOf(['spec', 'port'])).toBeUndefined();
      expect(linesFound(template, [1, 2, 3].map((port) => pod('a', port)).join('---\n'))).toEqual([1, 1, 1]);
    });

    it('and is anywhere in the template for a document without a kind', () => {
      expect(linesFound('\n---\n\na: 1\n---\nspec:\n  port: 1\n', 'spec:\n  port: 1\n')).toEqual([7]);
    });

    it('and goes on behind a --- in a text of several lines', () => {
      const own = 'kind: Pod\nspec:\n  args: |\n    ---\n    a: 1\n  port: 1\n';
      expect(linesFound(`kind: Service\nspec:\n  port: 1\n---\n${own}`, own)).toEqual([10]);
    });

    it('and never in another document, which may have the key that this one lacks', () => {
      const template = `kind: Pod\n{{ include "spec" . }}\n---\nkind: Service\nspec:\n  port: 1\n`;
      expect(linesFound(template, 'kind: Pod\nspec:\n  port: 1\n')).toEqual([1]);
    });
  });

  it('is the start of a template that has none of the lines', () => {
    const start = { line: 1, column: 1, isFound: false };
    expect(placesIn('{{ include "all" . }}', RENDERED)({ line: 15, column: 1 })).toMatchObject(start);
    expect(placesIn('', RENDERED)({ line: 15, column: 1 })).toMatchObject(start);
    expect(placesIn(TEMPLATE, RENDERED)({ line: 15, column: 1 }).isFound).toBe(true);
  });

  it('is found before the first key that the template lacks, and not behind it', () => {
    const template = 'kind: Pod\nspec:\n  a: 1\n';
    const rendered = 'kind: Pod\nspec:\n  containers:\n    a: 1\n';
    expect(placeOf(template, rendered, 'a: 1')).toEqual(['spec:', 1, undefined]);
  });

  it('does not depend on comments and on what is beside the line', () => {
    const template = 'kind: Pod\nspec:\n  probe:\n    # why\n    port: 80\n';
    const rendered = 'kind: Pod\nspec:\n  other:\n    deep: 1\n\n# note\n  probe:\n    # why\n    port: 80\n';
    expect(placeOf(template, rendered, 'port: 80')).toEqual(['port: 80', 5, undefined]);
  });

  it('takes a line that is equal before one whose value is computed', () => {
    const template = 'kind: Pod\nspec:\n  port: {{ .Values.port }}\n  port: 80\n';
    const rendered = 'kind: Pod\nspec:\n  port: 80\n';
    expect(placeOf(template, rendered, 'port: 80')).toEqual(['port: 80', 3, undefined]);
  });

  it('takes no computed key, and no item for a key, for the line', () => {
    const rendered = 'kind: Pod\nspec:\n  port: 80\n';
    for (const line of ['{{ .Values.key }}: 80', '- port: {{ .Values.port }}', 'ports: {{ .Values.port }}', 'port: 81'])
      expect(placeOf(`kind: Pod\nspec:\n  ${line}\n`, rendered, 'port: 80').slice(0, 1)).toEqual(['spec:']);
  });
});

describe('the value of the chart', () => {
  const valueOf = (probe: string): unknown =>
    placeOf(
      `kind: Pod\nspec:\n${probe}  after: {{ .Values.after }}\n`,
      'kind: Pod\nspec:\n  probe:\n    port: 80\n',
      'port: 80',
    )[2];

  it.each([
    ['  probe: {{ .Values.a.b }}\n', 'a.b'],
    ['  probe: {{- $.Values.a | toYaml }}\n', 'a'],
    ['  probe:\n    {{- toYaml .Values.a | nindent 4 }}\n', 'a'],
    ['  probe:\n    # why\n    {{- toYaml .Values.a | nindent 4 }}\n', 'a'],
    ['  {{- with .Values.w }}\n  probe:\n    {{- toYaml . | nindent 4 }}\n  {{- end }}\n', 'w'],
    ['  {{with $.Values.w}}\n  probe:\n    {{ toYaml .}}\n  {{end}}\n', 'w'],
    ['  {{ with .Values.w }}\n  probe:\n    {{ (toYaml .) | indent 4 }}\n  {{ end }}\n', 'w'],
    ['  {{ with .Values.w }}\n  probe:\n    {{- toYaml .-}}\n  {{ end }}\n', 'w'],
    ['  {{ with .Values.v }}\n  {{ with .Values.w }}\n  probe:\n    {{ toYaml . }}\n  {{ end }}\n', 'w'],
    ['  {{- with .Values.w }}\n  probe:\n    {{- toYaml .inner | nindent 4 }}\n  {{- end }}\n', undefined],
    ['  probe:\n    {{- toYaml . | nindent 4 }}\n', undefined],
    ['  probe:\n', undefined],
  ])('is the one that writes what the template does not: %j', (probe, value) => expect(valueOf(probe)).toBe(value));

  const inFlow = (line: string, field: readonly string[]): unknown => {
    const rendered = line.replaceAll(/\{\{.*?\}\}/g, '80');
    const places = placesIn(
      `kind: Pod\nspec:\n  probe:\n    ${line}\n`,
      `kind: Pod\nspec:\n  probe:\n    ${rendered}\n`,
    );
    return places({ line: 4, column: 1 }).valueOf(['spec', 'probe', ...field]);
  };

  it.each([
    ['{ httpGet: { path: /, port: {{ .Values.port }} } }', ['httpGet', 'port'], 'port'],
    ['{httpGet: {path: "{{ .Values.path }}", port: {{ .Values.port }}}}', ['httpGet', 'path'], 'path'],
    ['httpGet: { path: /, port: {{ .Values.ports.http | int }} }', ['httpGet', 'port'], 'ports.http'],
    ['- { name: http, containerPort: {{ .Values.port }} }', ['0', 'containerPort'], 'port'],
    ['{ httpGet: { path: /, port: {{ .Values.port }} } }', ['httpGet'], undefined],
    ['{ httpGet: { path: /, port: {{ .Values.port }} } }', ['httpGet', 'path'], undefined],
    ['{ a: { port: {{ .Values.a }} }, b: { port: {{ .Values.b }} } }', ['a', 'port'], undefined],
    ['{ a: { port: {{ .Values.a }} }, b: { port: 80 } }', ['b', 'port'], undefined],
    ['[{{ .Values.a }}, {{ .Values.b }}]', ['0'], undefined],
  ])('in a line in flow style is the one behind the name of the field: %s %j', (line, field, value) =>
    expect(inFlow(line, field)).toEqual(value && { name: value.split('.'), below: [] }),
  );

  it('has the way to a field below', () => {
    const places = placesIn(
      'kind: Pod\nspec:\n  probe: {{ toYaml .Values.a }}\n',
      'kind: Pod\nspec:\n  probe:\n    port: 80\n',
    );
    expect(places({ line: 4, column: 1 }).valueOf(['spec', 'probe', 'port'])).toEqual({ name: ['a'], below: ['port'] });
  });

  it('is not that of one field of a mapping that the template writes', () => {
    const template = 'kind: Pod\nspec:\n  probe:\n    port: 80\n    path: {{ .Values.path }}\n';
    const rendered = 'kind: Pod\nspec:\n  probe:\n    port: 80\n    path: /a\n';
    expect(placeOf(template, rendered, 'probe:')).toEqual(['probe:', 3, undefined]);
    expect(placeOf(template, rendered, 'path: /a')).toEqual(['path: {{ .Values.path }}', 5, 'path']);
  });

  it('is not that below an item which the template writes', () => {
    const template = 'kind: Pod\nspec:\n- name: app\n  {{- toYaml .Values.rest | nindent 2 }}\n';
    expect(placeOf(template, 'kind: Pod\nspec:\n- name: app\n  port: 80\n', '- name: app')[2]).toBeUndefined();
  });

  it('is not that of a line below a value which the template writes', () => {
    const template = 'kind: Pod\nspec:\n  a: 1\n  b: {{ .Values.b }}\n';
    expect(placeOf(template, 'kind: Pod\nspec:\n  a: 1\n  b: 2\n', 'a: 1')[2]).toBeUndefined();
  });
});

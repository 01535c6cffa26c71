import { hidesWord } from '../command/settings.ts';
import { isCut } from '../workload/bounded-container.ts';
import { handlerEdits } from './lib/endpoint.ts';
import { containerPhrase, defineCheck, located, quotedValue, yamlFlow } from './check.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { Container, Handler } from '../workload/pod.ts';

/**
 * `$(NAME)`, `${NAME}`, or the beginning of a template's expression. A second dollar sign escapes the first. Paths may
 * have other signs of the kind: `$metadata`, `?filter={id}`.
 */
const REFERENCE = /(?<!\$)\$(?:\(([A-Za-z_][\w.-]*)\)|\{([A-Za-z_][\w.-]*)(?:[^\w.{}-][^{}]*)?\})|\{\{/g;

/** The kubelet replaces `$(NAME)` in commands and env alone (pkg/kubelet/container/helpers.go; kubernetes#128900). */
export const httpVariable = defineCheck({
  id: 'http-variable',
  summary: 'A probe sends the name of a variable, because the kubelet replaces variables in commands only.',
  action: 'Warn',
  cannotWork: true,
  handlers: ['httpGet', 'tcpSocket', 'grpc'],
  judgesProbeAlone: true,
  eachProbe: (probe) =>
    textsOf(probe.handler).flatMap(({ text, steps, fields }) => {
      const [first] = mayNameVariable(text) ? text.matchAll(REFERENCE) : [];
      if (first === undefined) return [];
      const field = steps.length === 1 ? steps[0] : 'header';
      const written = withValues(text, probe.container);
      // A value that begins with a slash stands behind another: some servers reject `//`.
      const value = field === 'path' && !text.includes('//') ? written?.replace(/\/{2,}/g, '/') : written;
      return {
        ...located(probe, probe.handler.kind, ...steps),
        message: `${containerPhrase(probe.container)}: the kubelet sends ${quotedValue(first[0])} in the ${field} of the ${probe.kind} as it is, and replaces variables in commands only`,
        ...(value !== undefined
          ? { remedy: `write ${steps.at(-1)}: ${yamlFlow(value)}`, ...handlerEdits(probe, fields(value)) }
          : field === 'host'
            ? { remedy: 'remove host: the kubelet asks the Pod', ...handlerEdits(probe, fields(null)) }
            : { remedy: `write the ${field === 'path' ? 'path' : 'value'} itself` }),
      };
    }),
});

/** True for a text with a sign that begins a variable: almost no text has one. */
export const mayNameVariable = (text: string): boolean => /\$[({]|\{\{/.test(text);

/** The texts of a handler with their places, and the fields of the handler with another value of the text. */
function textsOf(handler: Handler) {
  const of = (field: string, text: string | undefined, steps: readonly (string | number)[] = [field]) => ({
    text: text ?? '',
    steps,
    fields: (value: unknown): JsonObject => ({ [field]: value }),
  });
  if (handler.kind === 'exec') return [];
  if (handler.kind === 'grpc') return [of('service', handler.service)];
  if (handler.kind === 'tcpSocket') return [of('host', handler.host)];
  const { headers } = handler;
  const values = headers.map(({ index, value: text }, at) => ({
    ...of('httpHeaders', text, ['httpHeaders', index, 'value']),
    fields: (value: unknown): JsonObject => ({
      httpHeaders: headers.map(({ name, value: own }, other) => ({ name, value: other === at ? value : own })),
    }),
  }));
  return [of('path', handler.path), of('host', handler.host), ...values];
}

/** Longest text in which values are replaced: a hostile one has a thousand references. */
const MOST_REPLACED_CHARACTERS = 500;

/** The text with the values that `env` gives. Undefined if one is no plain value. */
function withValues(text: string, container: Container): string | undefined {
  const variables = container.env();
  const read = text.slice(0, MOST_REPLACED_CHARACTERS);
  let isKnown = read === text;
  const replaced = read.replace(REFERENCE, (whole, bracketed?: string, braced?: string) => {
    const source = variables?.get(bracketed ?? braced ?? '');
    const value = source?.from === 'value' && !isCut(source.value) ? source.value : '';
    // `${NAME:-x}` has a default of its own.
    const hasDefault = braced !== undefined && whole.length > braced.length + 3;
    if (value === '' || /[$\r\n]|\{\{/.test(value) || hidesWord(value) || hasDefault) isKnown = false;
    return value;
  });
  return isKnown ? replaced : undefined;
}

/**
 * Returns the names in `$(NAME)` references, in order, as the kubelet reads them. `$$` stands for a dollar sign
 * (k8s.io/kubernetes/third_party/forked/golang/expansion, Expand).
 */
export function variableReferences(text: string): readonly string[] {
  let names: string[] | undefined;
  let at = text.indexOf('$');
  while (at >= 0 && at + 1 < text.length) {
    const next = text[at + 1];
    let behind = next === '$' ? at + 2 : at + 1;
    if (next === '(') {
      const end = text.indexOf(')', at);
      if (end < 0) break;
      (names ??= []).push(text.slice(at + 2, end));
      behind = end + 1;
    }
    at = text.indexOf('$', behind);
  }
  return names ?? NO_NAMES;
}

const NO_NAMES: readonly string[] = [];

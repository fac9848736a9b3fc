/** One stage of a Containerfile, beginning with FROM. */
export interface ContainerStage {
  readonly copies: readonly { readonly sources: readonly string[]; readonly target: string }[];
  readonly runs: readonly string[];
  readonly environment: ReadonlyMap<string, string>;
  /** Other instructions by name; the last one counts if one is repeated. */
  readonly single: ReadonlyMap<string, string>;
}

/** Reads the part of the Containerfile syntax that ours uses. Throws on an unknown instruction. */
export function readContainerfile(text: string): { readonly stages: readonly ContainerStage[] } {
  const stages: {
    copies: { sources: string[]; target: string }[];
    runs: string[];
    environment: Map<string, string>;
    single: Map<string, string>;
  }[] = [];
  const logical = text.replaceAll(/^\s*#.*\n/gm, '').replaceAll(/\\\n\s*/g, '');
  for (const line of logical.split('\n').filter((each) => each.trim() !== '')) {
    const [, instruction = '', rest = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    if (instruction === 'FROM') {
      stages.push({ copies: [], runs: [], environment: new Map(), single: new Map([['FROM', rest]]) });
      continue;
    }
    const stage = stages.at(-1);
    if (stage === undefined) throw new Error(`"${line}" stands before FROM`);
    if (instruction === 'COPY') {
      const words = rest.split(' ');
      const sources = words.slice(0, -1).filter((word) => !word.startsWith('--'));
      // A file copied from another stage is not a source file.
      if (!rest.startsWith('--from=')) stage.copies.push({ sources, target: words.at(-1) ?? '' });
    } else if (instruction === 'RUN') stage.runs.push(rest);
    else if (instruction === 'ENV') {
      for (const [, name = '', value = ''] of rest.matchAll(/(\w+)=(\S+)/g)) stage.environment.set(name, value);
    } else if (/^(?:USER|WORKDIR|VOLUME|EXPOSE|STOPSIGNAL|HEALTHCHECK|ENTRYPOINT|CMD)$/.test(instruction)) {
      stage.single.set(instruction, rest);
    } else throw new Error(`"${line}" is no instruction that is known here`);
  }
  return { stages };
}

import { definitionYaml } from '../endpoints/definitionYaml.ts';
import { parseDefinition } from '../endpoints/parseDefinition.ts';
import { reservedWords } from '../googlesql/syntax/keywords.ts';
import { printIdentifier } from '../googlesql/syntax/printText.ts';
import { describeEndpoint } from '../invoke/describe.ts';
import type { Source } from '../sources/source.ts';

export interface WantedDefinition {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly source: string;
  readonly isSandbox: boolean;
}

/**
 * Makes a definition to start from: the newest events of one project, from an optional time on. It is compiled.
 *
 * @returns the texts of its `.yaml` and `.sql` file
 * @throws ServiceError `definition.invalid`
 */
export function newDefinition(
  wanted: WantedDefinition,
  sources: ReadonlyMap<string, Source>,
): { readonly yaml: string; readonly sql: string } {
  const { id, name, description, isSandbox } = wanted;
  const fields = {
    id,
    name,
    description,
    query: queryOf(wanted),
    sandbox: isSandbox,
    parameters: {
      project: { type: 'string', required: true, description: 'The project whose events are read.' },
      since: { type: 'timestamp', description: 'Only events at this time or later. If absent, there is no limit.' },
    },
  };
  describeEndpoint(parseDefinition(fields, { label: name }), sources);
  return { yaml: definitionYaml(fields), sql: fields.query };
}

function queryOf({ source, isSandbox }: WantedDefinition): string {
  const table = printIdentifier({ name: source, quoted: reservedWords.has(source.toUpperCase()) });
  const condition = ['where t.project = @project', '  and (@since is null or t.timestamp >= @since)'];
  const lines = isSandbox
    ? [
        '-- Callers can query this table with their own SELECT.',
        `with ${table} as (`,
        '  select t.timestamp, t.id, t.event_message, t.metadata',
        `  from sources.${source} as t`,
        ...condition.map((line) => `  ${line}`),
        ')',
        'select timestamp, event_message',
        `from ${table}`,
        'order by timestamp desc',
      ]
    : ['select t.timestamp, t.event_message', `from sources.${source} as t`, ...condition, 'order by t.timestamp desc'];
  return `${lines.join('\n')}\n`;
}

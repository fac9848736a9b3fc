import type { ConvertedDefinition, Finding } from './convertDefinition.ts';

const headings: Readonly<Record<Finding['kind'], string>> = {
  taken: 'taken',
  changed: 'changed',
  left_out: 'left out',
  needs_person: 'needs attention',
};

/** The report for people: work that remains comes first, unchanged members last. */
export function renderImport(converted: readonly ConvertedDefinition[]): string {
  return converted
    .map(({ exportedName, definition, findings }) => {
      const title =
        definition === null ? `${exportedName}: cannot be imported yet` : `${exportedName} → ${definition.name}`;
      const lines = (['needs_person', 'changed', 'left_out'] as const).flatMap((kind) =>
        findings
          .filter((finding) => finding.kind === kind)
          .map(({ member, message }) => `  ${headings[kind]}: ${member}${message === '' ? '' : `: ${message}`}`),
      );
      const taken = findings.filter(({ kind }) => kind === 'taken').map(({ member }) => member);
      return [title, ...lines, ...(taken.length === 0 ? [] : [`  taken: ${taken.join(', ')}`])].join('\n');
    })
    .join('\n\n');
}

/** The report for programs. */
export function importView(converted: readonly ConvertedDefinition[], outcome: string): object {
  return {
    ...(outcome === 'ready' ? { dry_run: true } : {}),
    definitions: converted.map(({ exportedName, definition, findings }) => ({
      exported_name: exportedName,
      id: definition?.id ?? null,
      name: definition?.name ?? null,
      outcome: definition === null ? 'not_imported' : outcome,
      findings,
    })),
  };
}

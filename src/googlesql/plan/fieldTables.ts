import { fieldsParameter } from '../resolve/informationSchema.ts';
import type { ParameterValues } from '../resolve/parameterValue.ts';
import { type Mapper, mapExpr } from '../resolve/traverse.ts';
import type { Expr, ProjectRelation, Relation } from '../resolve/tree.ts';
import type { TextFact } from './rowFacts.ts';
import { projectFacts } from './scanBounds.ts';

/**
 * The tables whose rows of `INFORMATION_SCHEMA.FIELDS` can affect the answer, by conditions on `table_name`; null for all.
 * The names are as the query writes them, and may be of no table.
 */
export function fieldTables(relation: Relation, parameters: ParameterValues): ReadonlySet<string> | null {
  const asked: (readonly string[] | null)[] = [];
  projectFacts(relation, (project, { texts }) => {
    if (!isFieldsView(project)) return;
    const name = project.items.find(({ column }) => column.name === 'table_name')?.column;
    // Every fact holds, so one of them is enough.
    const [names = null] = texts.flatMap((fact) => (fact.column === name ? namesOf(fact, parameters) : []));
    asked.push(names);
  });
  // A view without conditions reads all tables, and so would one that the walk did not see.
  return asked.length === 0 || asked.includes(null) ? null : new Set(asked.flatMap((names) => names ?? []));
}

/** One list; none if the value of the parameter is not a text. */
function namesOf({ oneOf }: TextFact, parameters: ParameterValues): readonly (readonly string[])[] {
  if (!('parameter' in oneOf)) return [oneOf];
  const value = parameters.get(oneOf.parameter);
  return value?.kind === 'string' ? [[value.value]] : [];
}

/** Whether the SELECT list is that of the view, directly over its rows (resolve/informationSchema.ts). */
function isFieldsView({ input }: ProjectRelation): boolean {
  return input.kind === 'unnestArray' && readsFields(input.value);
}

function readsFields(expr: Expr): boolean {
  let isFound = false;
  const mapper: Mapper = {
    relation: (below) => below,
    expr: (each) => {
      if (each.kind === 'parameter' && each.name === fieldsParameter) isFound = true;
      return mapExpr(each, mapper);
    },
  };
  mapper.expr(expr);
  return isFound;
}

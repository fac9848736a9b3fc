import type { DescribedEndpoint } from '../api/describedEndpoints.ts';
import { MarkedSql } from '../endpoints/MarkedSql.tsx';
import { useConversion } from '../endpoints/useConversion.ts';
import { filtersOf, isChart, withChart } from '../lql/clauses.ts';
import { filterParts } from '../lql/filterParts.ts';
import { CopyButton } from '../parts/CopyButton.tsx';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { SaveLink } from '../parts/SaveLink.tsx';
import { useDebounced } from '../parts/useDebounced.ts';
import { hrefOf } from '../route/route.ts';
import { useSignedIn } from '../shell/session.ts';
import type { LqlPeriod } from '../time/periods.ts';
import { FilterList } from './FilterList.tsx';
import type { TableShape } from './tableShape.ts';

export type SearchForm = 'lql' | 'filters' | 'sql';

const forms = [
  ['lql', 'LQL'],
  ['filters', 'Filters'],
  ['sql', 'SQL'],
] as const;

interface SearchFormsProps {
  readonly endpoint: DescribedEndpoint;
  readonly parameters: Readonly<Record<string, string>>;
  readonly lql: string;
  /** The text that ran last. */
  readonly ran: string;
  readonly shape: TableShape | undefined;
  readonly form: SearchForm;
  readonly onForm: (form: SearchForm) => void;
  readonly onSearch: (lql: string) => void;
  /** How long the periods of a chart are, for the time of the search. */
  readonly period: LqlPeriod;
  readonly onPathsWanted: () => void;
}

const settleMs = 250;

/** The same search as filters and as GoogleSQL, as the service reads it, and the way to an endpoint of it. */
export function SearchForms(props: SearchFormsProps) {
  const { endpoint, parameters, lql, shape, form, period, onForm, onSearch } = props;
  const { described } = useSignedIn();
  const isConverted = described.operations.has('endpoints.convert');
  return (
    <>
      <div className="bar search-forms">
        {isConverted && (
          <div className="tabs" role="group" aria-label="Form of the search">
            {forms.map(([name, title]) => (
              <button key={name} type="button" aria-pressed={name === form} onClick={() => onForm(name)}>
                {title}
              </button>
            ))}
          </div>
        )}
        <span className="spacer" />
        {isChart(lql) ? (
          <button type="button" onClick={() => onSearch(filtersOf(lql))}>
            Show rows
          </button>
        ) : (
          shape?.isLog === true && (
            <button type="button" onClick={() => onSearch(withChart(lql, period))}>
              Chart by {period}
            </button>
          )
        )}
        <SaveLink endpoint={endpoint} language="lql" text={lql} values={parameters} />
      </div>
      {isConverted && form !== 'lql' && <Converted {...props} />}
    </>
  );
}

function Converted({ endpoint, parameters, lql, ran, shape, form, onSearch, onPathsWanted }: SearchFormsProps) {
  const settled = useDebounced(lql, settleMs);
  // What is typed waits; what runs does not.
  const text = lql === ran ? lql : settled;
  const { data, error, isPlaceholderData } = useConversion({ endpoint: endpoint.id, language: 'lql', text }, null);
  if (error !== null) return <ErrorBox error={error} source={text} />;
  if (data === undefined) return <p role="status">Loading</p>;
  if (form === 'filters') {
    const isCurrent = text === lql && !isPlaceholderData;
    return (
      <FilterList
        parts={filterParts(text, data.filters ?? [])}
        shape={shape}
        isOld={!isCurrent}
        onSearch={onSearch}
        onPathsWanted={onPathsWanted}
      />
    );
  }
  return (
    <section className="search-sql" aria-label="Search in GoogleSQL">
      <MarkedSql label="GoogleSQL" text={data.sql} spans={[]} />
      <div className="bar">
        <a className="button" href={hrefOf(['query'], { e: endpoint.id, p: parameters.project, q: data.sql })}>
          Open in Query
        </a>
        <CopyButton text={data.sql} />
      </div>
    </section>
  );
}

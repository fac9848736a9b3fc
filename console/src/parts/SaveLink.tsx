import type { DescribedEndpoint } from '../api/describedEndpoints.ts';
import { hrefOf } from '../route/route.ts';
import { useSignedIn } from '../shell/session.ts';

interface SaveLinkProps {
  readonly endpoint: DescribedEndpoint;
  readonly language: 'sql' | 'lql';
  readonly text: string;
  /** Of the endpoint's own parameters. */
  readonly values: Readonly<Record<string, string>>;
}

/** Leads from a search or a query to the page that makes an endpoint of it. Nothing for tokens that may not. */
export function SaveLink({ endpoint, language, text, values }: SaveLinkProps) {
  const { described } = useSignedIn();
  if (!described.operations.has('endpoints.create') || text.trim() === '') return null;
  const { project, ...others } = values;
  return (
    <a
      className="button"
      href={hrefOf(['endpoints', 'new'], {
        e: endpoint.id,
        lang: language,
        q: text,
        p: project,
        ...Object.fromEntries(Object.entries(others).map(([name, value]) => [`v.${name}`, value])),
      })}
    >
      Save as endpoint
    </a>
  );
}

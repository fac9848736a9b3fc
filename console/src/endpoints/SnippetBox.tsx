import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { bodyOf, callApi, serviceBase } from '../api/callApi.ts';
import type { DescribedEndpoint } from '../api/describedEndpoints.ts';
import { isObject, type Json, printJson } from '../api/losslessJson.ts';
import { CopyButton } from '../parts/CopyButton.tsx';
import { shellQuoted } from '../parts/curl.ts';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { LongText } from '../parts/LongText.tsx';
import { useSignedIn } from '../shell/session.ts';
import { endOf, usualLifetime } from '../tokens/lifetimes.ts';
import { curlOf, pythonOf, typescriptOf } from './clientSnippets.ts';

const languages = ['curl', 'TypeScript', 'Python', 'OpenAPI'] as const;
const writers = { curl: curlOf, TypeScript: typescriptOf, Python: pythonOf } as const;

interface SnippetBoxProps {
  readonly endpoint: DescribedEndpoint;
  readonly values: Readonly<Record<string, string>>;
}

/** The call of an endpoint elsewhere, and a token for it. */
export function SnippetBox({ endpoint, values }: SnippetBoxProps) {
  const { described, session } = useSignedIn();
  const [language, setLanguage] = useState<(typeof languages)[number]>('curl');
  const [secret, setSecret] = useState<string | null>(null);
  const [problem, setProblem] = useState<Error | null>(null);
  const description = useDescriptionOf(endpoint, language === 'OpenAPI');
  const exported = secret === null ? '' : `export LOGMILL_TOKEN=${shellQuoted(secret)}\n`;
  const text =
    language === 'OpenAPI'
      ? (description.data?.operation ?? '')
      : `${language === 'curl' ? exported : ''}${writers[language](endpoint, values, serviceBase())}`;
  const create = useTokenFor(endpoint, values);
  const makeToken = async () => {
    setProblem(null);
    try {
      setSecret(await create());
    } catch (error) {
      setProblem(error instanceof Error ? error : new Error('The token was not created.'));
    }
  };
  return (
    <section className="snippet" aria-label="The same call elsewhere">
      <div className="bar">
        <div className="tabs" role="group" aria-label="Language">
          {languages.map((each) => (
            <button key={each} type="button" aria-pressed={each === language} onClick={() => setLanguage(each)}>
              {each}
            </button>
          ))}
        </div>
        <span className="spacer" />
        <CopyButton text={text} />
      </div>
      {description.error !== null && language === 'OpenAPI' && <ErrorBox error={description.error} />}
      <pre role="region" aria-label={language} tabIndex={0}>
        {language === 'OpenAPI' ? <LongText text={text} first={2000} /> : text}
      </pre>
      {problem !== null && <ErrorBox error={problem} />}
      <div className="bar small">
        {language === 'OpenAPI' ? (
          <>
            <a href="../docs">Reference page</a>
            <CopyButton text={description.data?.document ?? ''}>Copy the whole document</CopyButton>
          </>
        ) : secret !== null ? (
          <p role="status" className="warning-text">
            The first line has a token for this endpoint. Copy it now: it is not shown again.
          </p>
        ) : (
          described.operations.has('tokens.create') && (
            <>
              <button type="button" className="quiet" onClick={() => void makeToken()}>
                Create a token for this call
              </button>
              <span className="muted">{restrictionText(values, usualLifetime(session.endsAt)[1])}</span>
            </>
          )
        )}
      </div>
    </section>
  );
}

const restrictionText = ({ project = '' }: Readonly<Record<string, string>>, ends: string): string =>
  `It calls this endpoint only${project === '' ? '' : `, for ${project} only`}, and ends ${ends}.`;

/** Makes a token that may call the endpoint, for the project of the call, and nothing else. */
function useTokenFor({ id, name }: DescribedEndpoint, { project = '' }: Readonly<Record<string, string>>) {
  const { session } = useSignedIn();
  return async (): Promise<string> => {
    const projects = project === '' ? session.projects : [project];
    const body: Json = {
      description: `for ${name}`,
      scopes: [`query:endpoint:${id}`],
      // With the limits of its maker, because a token can make none with more rights.
      restrictions: { ...session.restrictions, caller_queries: false, ...(projects === null ? {} : { projects }) },
      expires_at: endOf(usualLifetime(session.endsAt)[0], session.endsAt),
    };
    return (await bodyOf<'tokens.create'>('/api/tokens', { method: 'POST', body })).token;
  };
}

/** The OpenAPI document of the token, and the operation of an endpoint in it, as texts. */
function useDescriptionOf({ path }: DescribedEndpoint, isWanted: boolean) {
  return useQuery({
    queryKey: ['openapi-text', path],
    enabled: isWanted,
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const { body } = await callApi('/openapi.json', { signal });
      const paths = isObject(body) && isObject(body.paths) ? body.paths : {};
      return { document: printJson(body), operation: printJson({ [path]: paths[path] ?? null }) };
    },
  });
}

import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { ApiError } from '../api/callApi.ts';
import { useEndSession } from '../shell/session.ts';
import { SafeText } from '../text/SafeText.tsx';

interface ErrorBoxProps {
  readonly error: Error;
  /** The text that was sent, to show the place of the error in it. */
  readonly source?: string;
  /** Absent: what failed is asked for again, if it was a question. */
  readonly onRetry?: () => void;
}

/** What was wrong, where, what can be done now, and how to ask about it. */
export function ErrorBox({ error, source, onRetry }: ErrorBoxProps) {
  const isOfEndedSession = useIsOfEndedSession(error);
  const problem = error instanceof ApiError ? error.problem : {};
  const place = placeOf(problem);
  const line = place === undefined || source === undefined ? undefined : source.split('\n')[place.line - 1];
  if (isOfEndedSession) return null;
  return (
    <div className="box error-box" role="alert">
      <p>
        <SafeText text={error.message} />
      </p>
      {line !== undefined && place !== undefined && (
        <pre className="place">
          <SafeText text={line.slice(0, place.column - 1)} />
          <span className="wrong">
            <SafeText text={/^[\w`]+|./u.exec(line.slice(place.column - 1))?.[0] ?? ' '} />
          </span>
          <SafeText text={line.slice(place.column - 1).replace(/^[\w`]+|^./u, '')} />
        </pre>
      )}
      <p className="muted small bar">
        <WayOn error={error} onRetry={onRetry} />
        {problem.code !== undefined && <code>{problem.code}</code>}
        {problem.request_id !== undefined && <span>request {problem.request_id}</span>}
      </p>
    </div>
  );
}

/** Whether the error says that a session is over, and another one has begun since. */
function useIsOfEndedSession(error: Error): boolean {
  const begunAt = useQueryClient().getQueryState(['session'])?.dataUpdatedAt;
  const shown = useRef({ error, begunAt });
  if (shown.current.error !== error) shown.current = { error, begunAt };
  return error instanceof ApiError && error.status === 401 && shown.current.begunAt !== begunAt;
}

/** The same call again, which helps unless it was refused for what it asks; or a new session. */
function WayOn({ error, onRetry }: { readonly error: Error; readonly onRetry: (() => void) | undefined }) {
  const client = useQueryClient();
  const endSession = useEndSession();
  if (error instanceof ApiError && error.status === 401) {
    return (
      <button type="button" onClick={endSession}>
        Sign in again
      </button>
    );
  }
  const mayPass = error instanceof ApiError && (error.status >= 500 || [0, 408, 429].includes(error.status));
  if (!mayPass) return null;
  const isOfThis = ({ state }: { readonly state: { readonly error: Error | null } }) => state.error === error;
  const again =
    onRetry ??
    (client.getQueryCache().getAll().some(isOfThis)
      ? () => void client.refetchQueries({ predicate: isOfThis })
      : undefined);
  const seconds = error.retryAfter;
  return (
    <>
      {again !== undefined && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
      {seconds !== null && seconds > 0 && <span>Wait {seconds} s first.</span>}
    </>
  );
}

export interface Place {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Line and column of the first error, from 1. */
export function placeOf(problem: ApiError['problem']): Place | undefined {
  const [first] = (problem.errors ?? []) as readonly { line?: unknown; column?: unknown; message?: string }[];
  if (typeof first?.line !== 'number' || typeof first.column !== 'number') return undefined;
  return { line: first.line, column: first.column, message: first.message ?? problem.detail ?? '' };
}

import { ApiError } from '../api/callApi.ts';
import { SafeText } from '../text/SafeText.tsx';

interface ErrorBoxProps {
  readonly error: Error;
  /** The text that was sent, to show the place of the error in it. */
  readonly source?: string;
  readonly onRetry?: () => void;
}

/** What was wrong, where, and how to ask about it. */
export function ErrorBox({ error, source, onRetry }: ErrorBoxProps) {
  const problem = error instanceof ApiError ? error.problem : {};
  const place = placeOf(problem);
  const line = place === undefined || source === undefined ? undefined : source.split('\n')[place.line - 1];
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
      <p className="muted small">
        {problem.code !== undefined && <code>{problem.code}</code>}
        {problem.request_id !== undefined && <> request {problem.request_id}</>}
        {onRetry !== undefined && (
          <button type="button" className="quiet" onClick={onRetry}>
            Try again
          </button>
        )}
      </p>
    </div>
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

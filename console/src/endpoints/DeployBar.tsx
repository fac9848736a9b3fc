import { type FormEvent, useState } from 'react';
import { ErrorBox } from '../parts/ErrorBox.tsx';

interface DeployBarProps {
  readonly action: string;
  readonly isBreaking: boolean;
  readonly isDisabled?: boolean;
  /** Makes the change, with the options of the API. Throws an ApiError. */
  readonly onDeploy: (query: Readonly<Record<string, string>>) => Promise<void>;
}

/** A note and the button that makes a change; one that breaks callers needs a word more. */
export function DeployBar({ action, isBreaking, isDisabled = false, onDeploy }: DeployBarProps) {
  const [note, setNote] = useState('');
  const [isAccepted, setAccepted] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Error | null>(null);
  const deploy = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      await onDeploy({ ...(note === '' ? {} : { note }), ...(isBreaking ? { allow_breaking: 'true' } : {}) });
      setNote('');
      setAccepted(false);
    } catch (error) {
      setProblem(error instanceof Error ? error : new Error('Nothing was changed.'));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className="deploy-bar" onSubmit={(event) => void deploy(event)}>
      {problem !== null && <ErrorBox error={problem} />}
      {isBreaking && (
        <label className="check">
          <input type="checkbox" checked={isAccepted} onChange={(event) => setAccepted(event.target.checked)} />
          Change it although it breaks callers
        </label>
      )}
      <div className="bar">
        <input
          type="text"
          aria-label="Note of the version"
          placeholder="Note: why it changes"
          autoComplete="off"
          maxLength={2000}
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
        <button type="submit" className="primary" disabled={isDisabled || isBusy || (isBreaking && !isAccepted)}>
          {action}
        </button>
      </div>
    </form>
  );
}

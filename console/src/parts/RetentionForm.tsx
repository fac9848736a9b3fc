import { useId, useState } from 'react';
import { callApi } from '../api/callApi.ts';
import { TypedConfirmation } from './TypedConfirmation.tsx';

export const daysText = (days: number | undefined): string =>
  days === undefined ? '–' : days === 0 ? 'ever' : days === 1 ? '1 day' : `${days} days`;

interface RetentionFormProps {
  /** Name of the project or source. */
  readonly name: string;
  /** Path of the operation that sets it. */
  readonly path: string;
  readonly days: number | null;
  /** What holds without a rule of its own. */
  readonly otherwise: string;
  readonly onSaved: () => void;
}

/** How long events are kept; empty if there is no rule of its own. Asks before it may remove events. */
export function RetentionForm({ name, path, days, otherwise, onSaved }: RetentionFormProps) {
  const id = useId();
  const [typed, setTyped] = useState(days === null ? '' : String(days));
  const [message, setMessage] = useState('');
  const [isAsking, setAsking] = useState(false);
  const wanted = typed === '' ? null : Number(typed);
  // Without a rule of its own, how long they are kept now depends on other rules.
  const mayRemove =
    wanted !== days && wanted !== 0 && (wanted === null || days === null || days === 0 || wanted < days);
  const save = async () => {
    await callApi(path, { method: 'PUT', body: { days: wanted } });
    setMessage('Saved');
    onSaved();
  };
  const submit = async () => {
    if (mayRemove) return setAsking(true);
    try {
      await save();
    } catch (error) {
      setMessage(error instanceof Error ? error.message : 'It was not saved.');
    }
  };
  return (
    <>
      <form
        className="bar"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <label htmlFor={id}>Keep its events for</label>
        <input
          id={id}
          type="text"
          inputMode="numeric"
          pattern="[0-9]*"
          size={5}
          value={typed}
          placeholder="–"
          onChange={(event) => setTyped(event.target.value)}
        />
        <span>days. Empty: {otherwise}; 0: for ever. Older events disappear at once.</span>
        <button type="submit">Save</button>
        <span role="status">{message}</span>
      </form>
      {isAsking && (
        <TypedConfirmation
          title="Keep its events for a shorter time"
          name={name}
          action="Shorten retention"
          onClose={() => setAsking(false)}
          onConfirm={save}
        >
          <p>
            Events that are older {wanted === null ? 'than other rules allow' : `than ${daysText(wanted)}`} disappear
            from answers at once and are removed from disk. Nothing brings them back.
          </p>
        </TypedConfirmation>
      )}
    </>
  );
}

import { type FormEvent, useEffect, useId, useRef, useState } from 'react';

interface TypedConfirmationProps {
  readonly title: string;
  /** What happens, in a sentence. */
  readonly children: React.ReactNode;
  /** The text to type. */
  readonly name: string;
  readonly action: string;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks for the name of what is deleted, because nothing brings it back. */
export function TypedConfirmation({ title, children, name, action, onConfirm, onClose }: TypedConfirmationProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (typed !== name) return;
    setBusy(true);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : 'It failed.');
      setBusy(false);
    }
  };
  return (
    <dialog ref={dialog} aria-labelledby={`${id}-title`} onClose={onClose}>
      <form className="dialog-form" onSubmit={(event) => void submit(event)}>
        <h2 id={`${id}-title`}>{title}</h2>
        <div>{children}</div>
        <div className="field">
          <label htmlFor={id}>
            Type <code>{name}</code> to confirm
          </label>
          <input
            id={id}
            type="text"
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </div>
        {problem !== '' && (
          <p role="alert" className="problem-text">
            {problem}
          </p>
        )}
        <div className="bar">
          <button type="submit" className="danger" disabled={typed !== name || isBusy}>
            {action}
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}

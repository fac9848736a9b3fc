import { CopyButton } from '../parts/CopyButton.tsx';

interface SecretBoxProps {
  readonly secret: string;
  readonly text: string;
  readonly onClose: () => void;
}

/** A secret, shown this once. */
export function SecretBox({ secret, text, onClose }: SecretBoxProps) {
  return (
    <section className="box warning-box" role="status">
      <p>{text} Copy it now: it is not shown again.</p>
      <p className="secret">
        <code>{secret}</code>
      </p>
      <div className="bar">
        <CopyButton text={secret} />
        <button type="button" className="quiet" onClick={onClose}>
          I have it
        </button>
      </div>
    </section>
  );
}

interface NotForTokenProps {
  readonly title: string;
  /** What a token needs for it, after "a token". */
  readonly needs: string;
}

/** Replaces a page that the token cannot use, for example after a link from a colleague. */
export function NotForToken({ title, needs }: NotForTokenProps) {
  return (
    <div className="alone">
      <h1>{title}</h1>
      <p>This page needs a token {needs}. Ask whoever gave you yours for one, or sign in with another one.</p>
    </div>
  );
}

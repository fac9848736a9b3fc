/** A question that is never answered, and a promise that resolves when it is asked. */
export function unanswered(): { readonly never: () => Promise<never>; readonly asked: Promise<void> } {
  let isAsked = () => {};
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  const never = () => {
    isAsked();
    return new Promise<never>(() => {});
  };
  return { never, asked };
}

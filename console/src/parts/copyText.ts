/** Copies a text. Pages without TLS have no clipboard, so there a selection is copied. Returns whether it worked. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement('textarea');
    field.value = text;
    field.className = 'unseen';
    const before = document.activeElement;
    document.body.append(field);
    field.select();
    const isCopied = document.execCommand('copy');
    field.remove();
    if (before instanceof HTMLElement) before.focus();
    return isCopied;
  }
}

type Members = Readonly<Record<string, unknown>>;

/** Applies a JSON merge patch (RFC 7396): members of the patch replace those of the target, and null removes one. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else
      Object.defineProperty(merged, name, {
        value: mergePatch(Object.hasOwn(merged, name) ? merged[name] : undefined, value),
        enumerable: true,
        configurable: true,
        writable: true,
      });
  }
  return merged;
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

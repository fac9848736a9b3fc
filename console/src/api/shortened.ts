import { isObject, type Json } from './losslessJson.ts';

/** A value for a cell: texts are cut, and nested values become the beginning of their JSON. */
export function shortened(value: Json, charsMax: number): Json {
  if (typeof value === 'string') return value.length > charsMax ? `${value.slice(0, charsMax)}…` : value;
  if (value === null || typeof value !== 'object') return value;
  return beginningOf(value, charsMax);
}

/** The first characters of a value's JSON, made without writing all of it. */
function beginningOf(value: Json, charsMax: number): string {
  let text = '';
  const write = (each: Json): void => {
    if (text.length > charsMax) return;
    if (typeof each === 'bigint') text += String(each);
    else if (typeof each === 'string') text += JSON.stringify(each.slice(0, charsMax));
    else if (each === null || typeof each !== 'object') text += JSON.stringify(each);
    else if (isObject(each)) {
      text += '{';
      let comma = '';
      for (const [name, of] of Object.entries(each)) {
        if (text.length > charsMax) return;
        text += `${comma}${JSON.stringify(name)}:`;
        write(of);
        comma = ',';
      }
      text += '}';
    } else {
      text += '[';
      let comma = '';
      for (const of of each) {
        if (text.length > charsMax) return;
        text += comma;
        write(of);
        comma = ',';
      }
      text += ']';
    }
  };
  write(value);
  return text.length > charsMax ? `${text.slice(0, charsMax)}…` : text;
}

/** Reads a document's value by path. Returns the default or undefined for a missing field. */
export type ReadField = (path: string) => unknown

export type PresetPart = 'image' | 'video'

/** Creates a function that reads a document's values without defaults: missing fields are undefined. */
export const readFrom =
  (document: unknown): ReadField =>
  (path) =>
    path
      .split('.')
      .reduce<unknown>(
        (inside, key) =>
          typeof inside === 'object' && inside !== null && Object.hasOwn(inside, key)
            ? Reflect.get(inside, key)
            : undefined,
        document,
      )

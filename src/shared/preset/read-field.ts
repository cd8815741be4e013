/** Reads a document by path; where nothing stands, what holds then, or undefined. */
export type ReadField = (path: string) => unknown

/** What a preset says of photos, and what of videos. */
export type PresetPart = 'image' | 'video'

/** Reads a document as it stands: what is not in it is undefined. */
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

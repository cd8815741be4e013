/** What the app asks of the process that makes small pictures, and what it answers. */

export type PictureRequest = {
  readonly id: number
  /** Absolute. Only ever read. */
  readonly path: string
  /** The longest side, in pixels. */
  readonly pixels: number
  /** `cover` is square and cut; `inside` shows everything. */
  readonly fit: 'cover' | 'inside'
}

/** `webp` is null where there is nothing to show. */
export type PictureAnswer = { readonly id: number; readonly webp: Uint8Array | null }

// Both ends are of one version, so that the names tell the rest.
export const isPictureRequest = (message: unknown): message is PictureRequest =>
  hasId(message) && 'path' in message && 'pixels' in message && 'fit' in message

export const isPictureAnswer = (message: unknown): message is PictureAnswer =>
  hasId(message) && 'webp' in message && (message.webp === null || message.webp instanceof Uint8Array)

const hasId = (message: unknown): message is { readonly id: number } =>
  typeof message === 'object' && message !== null && 'id' in message && typeof message.id === 'number'

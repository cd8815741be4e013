import { Dictionary } from 'node-av/lib'

/** Lends options to a call of FFmpeg's, which takes out what it understands. */
export async function withOptions<T>(
  values: Readonly<Record<string, string | number>>,
  use: (options: Dictionary) => Promise<T>,
): Promise<T> {
  const options = Dictionary.fromObject({ ...values })
  try {
    return await use(options)
  } finally {
    options.free()
  }
}

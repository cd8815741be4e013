/**
 * Recognizes flaws that leave the image intact. Decoders warn about them, but every viewer shows the file, so we process it and log
 * the flaw. Missing or garbled pixels count as damage instead.
 */
import sharp, { type Sharp, type SharpInput, type SharpOptions } from 'sharp'

/** Messages that sharp and libvips add to the decoder's messages. */
const FRAMING = /^(warning treated as error|vips2\w+: unable to write to target|read gave \d+ warnings)/i

/** libjpeg warns both about broken pixels and about harmless stray bytes, so accept only these warnings. */
const HARMLESS_IN_JPEG = /extraneous bytes before marker|invalid SOS parameters|unknown (adobe|jfif|exif)/i

/** libtiff also warns about directories that it can interpret. Only warnings from its codecs mean missing pixels. */
const HARMFUL_IN_TIFF =
  /premature|line length mismatch|discarding|lack of data|not enough|bad code|read error|truncated|uncompressed data/i

/**
 * Returns the flaws of an image whose decoding caused a warning.
 * @throws an error if the given error or a later warning indicates damage, or if the decoder reports nothing
 */
export async function harmlessWarnings(
  error: unknown,
  source: { readonly input: SharpInput; readonly options: SharpOptions },
): Promise<string> {
  const said = error instanceof Error ? linesOf(error.message) : []
  if (!said.every(isHarmless)) throw error
  // Decoding ended at the first warning, sometimes without a message. More serious warnings may follow.
  await sharp(source.input, { ...source.options, failOn: 'error' })
    .on('warning', (warning: string) => said.push(...linesOf(warning)))
    .resize({ width: 16 })
    .toBuffer()
  if (said.length === 0) throw error
  if (!said.every(isHarmless)) throw new Error(said.join('\n'), { cause: error })
  return [...new Set(said)].join('; ')
}

/**
 * Decodes an image to pixels.
 * @throws an error if a part is missing or garbled
 */
export async function decodeStrictly(image: Sharp) {
  const said: string[] = []
  image.on('warning', (warning: string) => said.push(warning))
  const decoded = await image.raw().toBuffer({ resolveWithObject: true })
  refuseDamage(said)
  return decoded
}

/**
 * Checks libjpeg's warnings about an image that was decoded. The last ones come too late to end the decoding.
 * @throws an error with the warnings that indicate damage
 */
export function refuseDamage(warnings: readonly string[]): void {
  const harmful = warnings.flatMap(linesOf).filter((line) => /jpeg/i.test(line) && !isHarmless(line))
  if (harmful.length > 0) throw new Error(harmful.join('\n'))
}

const linesOf = (words: string): string[] =>
  words
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !FRAMING.test(line))

function isHarmless(line: string): boolean {
  if (/jpeg/i.test(line)) return HARMLESS_IN_JPEG.test(line)
  // A message from libvips itself is an error, not a warning.
  return !/^\w*2vips|^vips/i.test(line) && !HARMFUL_IN_TIFF.test(line)
}

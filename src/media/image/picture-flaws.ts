/**
 * Flaws that leave a picture whole. Decoders warn of them, and every viewer shows the file: so do we, and say in the log what was
 * odd. What is missing or garbled among the pixels is no flaw but damage.
 */
import sharp from 'sharp'
import type { PictureSource } from './picture.ts'

/** What sharp and libvips say of their own, beside the decoder's words. */
const FRAMING = /^(warning treated as error|vips2\w+: unable to write to target|read gave \d+ warnings)/i

/** libjpeg warns of broken pixels as it does of a stray byte, so that only these pass. */
const HARMLESS_IN_JPEG = /extraneous bytes before marker|invalid SOS parameters|unknown (adobe|jfif|exif)/i

/** libtiff warns of directories that it can make sense of. Where its decoders warn, pixels are missing. */
const HARMFUL_IN_TIFF =
  /premature|line length mismatch|discarding|lack of data|not enough|bad code|read error|truncated|uncompressed data/i

/** What was odd about a picture that could not be decoded without a warning. */
export async function flawsBehind(error: unknown, source: PictureSource): Promise<string> {
  const said = error instanceof Error ? linesOf(error.message) : []
  if (!said.every(isHarmless)) throw error
  // The first warning has ended the decoding, sometimes without a word, and worse may follow.
  await sharp(source.input, { ...source.options, failOn: 'error' })
    .on('warning', (warning: string) => said.push(...linesOf(warning)))
    .resize({ width: 16 })
    .toBuffer()
  if (said.length === 0) throw error
  if (!said.every(isHarmless)) throw new Error(said.join('\n'), { cause: error })
  return [...new Set(said)].join('; ')
}

const linesOf = (words: string): string[] =>
  words
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !FRAMING.test(line))

function isHarmless(line: string): boolean {
  if (/jpeg/i.test(line)) return HARMLESS_IN_JPEG.test(line)
  // What libvips says itself is no warning but the reason why it gave up.
  return !/^\w*2vips|^vips/i.test(line) && !HARMFUL_IN_TIFF.test(line)
}

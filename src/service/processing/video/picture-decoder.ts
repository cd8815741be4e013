/** Opens what turns a video track's packets into pictures. */
import { FF_DECODER_LIBVPX_VP8, FF_DECODER_LIBVPX_VP9 } from 'node-av/constants'
import { Codec, CodecContext, Dictionary, type Stream } from 'node-av/lib'
import { ProcessingError } from '../processing.ts'
import { mustSucceed } from './media-failure.ts'
import { codecName } from './source-file.ts'

/** More than any camera makes; a header that promises more is meant to exhaust the memory. */
const MOST_PIXELS = 16_384 * 8_192

/** FFmpeg's own VP8 and VP9 decoders drop transparency; libvpx keeps it. */
function decoderFor(stream: Stream): Codec | null {
  if (stream.metadata?.get('alpha_mode') === '1') {
    const name = codecName(stream)
    if (name === 'vp9') return Codec.findDecoderByName(FF_DECODER_LIBVPX_VP9)
    if (name === 'vp8') return Codec.findDecoderByName(FF_DECODER_LIBVPX_VP8)
  }
  return Codec.findDecoder(stream.codecpar.codecId)
}

export async function openPictureDecoder(stream: Stream): Promise<CodecContext> {
  const codec = decoderFor(stream)
  if (codec === null)
    throw new ProcessingError(`There is no decoder for ${codecName(stream).toUpperCase()} video.`)
  const decoder = new CodecContext()
  decoder.allocContext3(codec)
  mustSucceed(decoder.parametersToContext(stream.codecpar), 'decoded')
  decoder.pktTimebase = stream.timeBase
  // The library's default is one thread; 0 is one for each core, pictures and slices alike.
  decoder.threadCount = 0
  using options = Dictionary.fromObject({ max_pixels: MOST_PIXELS })
  mustSucceed(await decoder.open2(codec, options), 'decoded')
  return decoder
}

/**
 * Chooses the data tracks that a user would miss: a camera's telemetry, such as locations, speed and angles.
 */
import { AV_CODEC_ID_SMPTE_KLV, AVMEDIA_TYPE_DATA } from 'node-av/constants'
import type { Stream } from 'node-av/lib'
import { type Container, isMp4OrMov } from './container.ts'

/**
 * Types in MP4 and QuickTime that users wouldn't miss: chapters, timecodes (which are also tags), streaming, cameras' diagnostics, and
 * Apple's notes on single frames.
 */
const NOT_MISSED: ReadonlySet<string> = new Set(
  'text tx3g sbtl chap tmcd rtp  rrtp srtp mp4s dbgi fdsc mebx'.split(' ').map((type) => type.padEnd(4)),
)

/** Types that the muxers of MP4 and QuickTime can write. */
const WRITTEN: ReadonlySet<string> = new Set(['gpmd'])

const typeOf = ({ codecpar }: Stream): string =>
  codecpar.codecId === AV_CODEC_ID_SMPTE_KLV ? 'KLV' : (codecpar.codecTagString ?? '')

/**
 * Returns the tracks with telemetry, and their types as users may know them.
 * @param format FFmpeg's name of the container
 */
export function telemetryIn(
  streams: readonly Stream[],
  format: string,
): readonly { readonly stream: Stream; readonly type: string }[] {
  return streams
    .filter(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_DATA)
    .map((stream) => ({ stream, type: typeOf(stream) }))
    .filter(({ type }) => type === 'KLV' || (format.startsWith('mov') && isMissed(type)))
}

/** Returns whether users would miss a type. Types without letters belong to damaged or unknown tracks. */
const isMissed = (type: string): boolean => /^[\w ]{4}$/.test(type) && !NOT_MISSED.has(type)

export const holdsTelemetry = (container: Pick<Container, 'muxer'>, type: string): boolean =>
  isMp4OrMov(container) && WRITTEN.has(type)

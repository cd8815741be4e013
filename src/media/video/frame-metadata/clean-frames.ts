/**
 * Removes metadata from tracks that are copied: from their header and from within their frames. Keeps captions and everything that affects
 * how frames look, such as HDR.
 */
import {
  AV_PKT_DATA_DOVI_CONF,
  AV_PKT_DATA_DYNAMIC_HDR10_PLUS,
  AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL,
  AV_PKT_DATA_NEW_EXTRADATA,
  AV_PKT_DATA_PALETTE,
  AV_PKT_DATA_SKIP_SAMPLES,
  AVMEDIA_TYPE_VIDEO,
} from 'node-av/constants'
import type { Packet, Stream } from 'node-av/lib'
import type { VideoRecipe } from '../../../shared/preset/preset.ts'
import { isPlaceValue } from '../../metadata/places.ts'
import { codecName, mustSucceed } from '../../ffmpeg/ffmpeg.ts'
import { cleanAac, cleanAacHeader } from './aac.ts'
import type { KeepsText } from './change-parts.ts'
import { cleanDv } from './dv-packs.ts'
import {
  cleanUnits,
  cleanUnitsHeader,
  H264,
  HEVC,
  lengthBytesIn,
  type NalCodec,
  withDolby,
} from './nal-units.ts'
import { cleanMp3 } from './mp3.ts'
import { cleanObus } from './obus.ts'
import { createParameterSets } from './parameter-sets.ts'
import { cleanJpeg, cleanPng } from './pictures.ts'
import { cleanUserData, MPEG, MPEG4, type UserDataCodec, VC1 } from './start-codes.ts'
import { cleanEvent, cleanIndex, cleanScript, cleanXiph } from './track-headers.ts'

/** Both functions return the same buffer if there is nothing to remove. */
export type Cleaner = {
  header(bytes: Buffer): Buffer
  /** @returns undefined if metadata can't be removed */
  frame(bytes: Buffer): Buffer | undefined
}

type Wanted = VideoRecipe['metadata']

const same = (bytes: Buffer): Buffer => bytes

/**
 * Creates the cleaner of a codec.
 * @param header the codec's parameters, which say how frames are stored
 */
type Create = (keeps: KeepsText, header: Buffer, wanted: Wanted, track: TrackKind) => Partial<Cleaner>

type TrackKind = { readonly isVideo?: boolean; readonly isDolby?: boolean }

const nalUnits =
  (standard: NalCodec, name: 'h264' | 'hevc'): Create =>
  (keeps, first, _, { isDolby }) => {
    const sets = createParameterSets(name)
    const codec = {
      ...(isDolby === true ? withDolby(standard) : standard),
      cutSet: (unit: Buffer) => sets.cut(unit),
    }
    return {
      header: (bytes) => cleanUnitsHeader(bytes, codec, keeps),
      frame(bytes) {
        const cleaned = cleanUnits(bytes, codec, lengthBytesIn(first, codec), keeps)
        return sets.isUnclear() ? undefined : cleaned
      },
    }
  }

const userData =
  (codec: UserDataCodec): Create =>
  (keeps) => ({
    header: (bytes) => cleanUserData(bytes, codec, keeps),
    frame: (bytes) => cleanUserData(bytes, codec, keeps),
  })

const XIPH: Create = () => ({ header: cleanXiph })
const SCRIPT: Create = (keeps) => ({
  header: (bytes) => cleanScript(bytes, keeps),
  frame: (bytes) => cleanEvent(bytes, keeps),
})

/** Bytes before the units in the header of AV1. */
const AV1_RECORD_BYTES = 4

const CLEANERS: Readonly<Record<string, Create>> = {
  h264: nalUnits(H264, 'h264'),
  hevc: nalUnits(HEVC, 'hevc'),
  av1: (keeps) => ({
    header: (bytes) => cleanObus(bytes, keeps, AV1_RECORD_BYTES),
    frame: (bytes) => cleanObus(bytes, keeps),
  }),
  mpeg1video: userData(MPEG),
  mpeg2video: userData(MPEG),
  mpeg4: userData(MPEG4),
  vc1: userData(VC1),
  mjpeg: (keeps, _, wanted) => ({ frame: (bytes) => cleanJpeg(bytes, keeps, wanted === 'strip-location') }),
  png: () => ({ frame: cleanPng }),
  dvvideo: (_, __, wanted) => (wanted === 'strip' ? { frame: cleanDv } : {}),
  aac: () => ({ header: cleanAacHeader, frame: cleanAac }),
  mp3: () => ({ frame: cleanMp3 }),
  theora: XIPH,
  vorbis: XIPH,
  ass: SCRIPT,
  ssa: SCRIPT,
  dvd_subtitle: (keeps) => ({ header: (bytes) => cleanIndex(bytes, keeps) }),
}

/** Video codecs, by FFmpeg's names, whose frames have no place for metadata. */
const PLAIN = 'vp8 vp9 prores dnxhd qtrle ffv1 msmpeg4v2 msmpeg4v3 wmv2 huffyuv utvideo'.split(' ')

/** Refuses the frames of other codecs, which may be whole image files, such as TIFF or JPEG 2000. */
const UNKNOWN: Create = () => ({ frame: () => undefined })

/** Returns the cleaner for a track; undefined if the recipe keeps all metadata. */
export function cleanerOf(stream: Stream, wanted: Wanted): Cleaner | undefined {
  const { codecpar } = stream
  return cleanerFor(codecName(stream), codecpar.extradata, wanted, {
    isVideo: codecpar.codecType === AVMEDIA_TYPE_VIDEO,
    isDolby: codecpar.getCodedSideData(AV_PKT_DATA_DOVI_CONF) !== null,
  })
}

/** Returns the cleaner for a codec; undefined if the recipe keeps all metadata. */
export function cleanerFor(
  codec: string,
  header: Buffer | null,
  wanted: Wanted,
  track: TrackKind = {},
): Cleaner | undefined {
  if (wanted === 'keep') return undefined
  const create = CLEANERS[codec] ?? (track.isVideo === true && !PLAIN.includes(codec) ? UNKNOWN : undefined)
  const keeps = wanted === 'strip' ? () => false : isHarmlessText
  return { header: same, frame: same, ...create?.(keeps, header ?? Buffer.alloc(0), wanted, track) }
}

/** Returns whether the content is text without a location. Other content can't be searched for locations. */
function isHarmlessText(content: Buffer): boolean {
  const text = content.toString('utf8').replace(/\0+$/, '')
  return !/[\p{Cc}\uFFFD]/u.test(text.replace(/[\t\r\n]/g, '')) && !isPlaceValue(text)
}

/** Side data of packets that containers or decoders need. */
const NEEDED = [
  AV_PKT_DATA_DYNAMIC_HDR10_PLUS,
  AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL,
  AV_PKT_DATA_NEW_EXTRADATA,
  AV_PKT_DATA_PALETTE,
  AV_PKT_DATA_SKIP_SAMPLES,
] as const
/** Matroska's `BlockAddID` for the alpha channel. Block additions with other IDs may contain anything. */
const ALPHA = 1n

/** Removes metadata from a packet and its side data. Returns false if metadata can't be removed. */
export function cleanPacket(packet: Packet, cleaner: Cleaner): boolean {
  const { data, pts, dts, duration, flags } = packet
  if (data === null) return true
  const cleaned = cleaner.frame(data)
  if (cleaned === undefined) return false
  const added = packet.getSideData(AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL)
  const hasOthers = added !== null && (added.length < 8 || added.readBigUInt64BE(0) !== ALPHA)
  const hasHeader = packet.getSideData(AV_PKT_DATA_NEW_EXTRADATA) !== null
  if (cleaned === data && !hasOthers && !hasHeader) return true
  const kept = NEEDED.flatMap((type) => {
    const side = packet.getSideData(type)
    if (side === null || (type === AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL && hasOthers)) return []
    return [
      {
        type,
        content: type === AV_PKT_DATA_NEW_EXTRADATA ? cleaner.header(Buffer.from(side)) : Buffer.from(side),
      },
    ]
  })
  // Setting the data resets everything else.
  packet.data = cleaned === data ? Buffer.from(data) : cleaned
  Object.assign(packet, { pts, dts, duration, flags })
  for (const { type, content } of kept) mustSucceed(packet.addSideData(type, content), 'copied')
  return true
}

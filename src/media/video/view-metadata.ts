/**
 * Describes how a video is viewed: 360°, stereo 3D and Dolby Vision. FFmpeg returns structures as raw bytes, in this computer's byte order.
 */
import { AV_PKT_DATA_DOVI_CONF, AV_PKT_DATA_SPHERICAL, AV_PKT_DATA_STEREO3D } from 'node-av/constants'
import type { CodecParameters } from 'node-av/lib'
import { uint16, uint32 } from '../big-endian.ts'
import { makeBox } from '../make-box.ts'

/** Copies 360° and stereo 3D to an encoded track. Dolby Vision describes only the original's stream. */
export function copyView(from: CodecParameters, to: CodecParameters): void {
  for (const type of [AV_PKT_DATA_SPHERICAL, AV_PKT_DATA_STEREO3D]) {
    const data = from.getCodedSideData(type)
    if (data !== null) to.addCodedSideData(type, data)
  }
}

/** Returns boxes for the sample description of a video track, as in Google's and Dolby's specifications. */
export function viewBoxes(parameters: CodecParameters): readonly Buffer[] {
  const stereo = parameters.getCodedSideData(AV_PKT_DATA_STEREO3D)
  const spherical = parameters.getCodedSideData(AV_PKT_DATA_SPHERICAL)
  const dolby = parameters.getCodedSideData(AV_PKT_DATA_DOVI_CONF)
  return [
    ...(stereo === null ? [] : stereoBox(numbersOf(stereo))),
    ...(spherical === null ? [] : sphericalBox(numbersOf(spherical))),
    ...(dolby === null ? [] : dolbyBox(dolby)),
  ]
}

const numbersOf = (bytes: Buffer): Uint32Array =>
  new Uint32Array(new Uint8Array(bytes.subarray(0, bytes.length & ~3)).buffer)

/** Maps FFmpeg's stereo types (2D, side by side, top and bottom) to the modes of the `st3d` box. */
const STEREO_MODES = [0, 2, 1]

function stereoBox([type = 0]: Uint32Array): readonly Buffer[] {
  const mode = STEREO_MODES[type]
  return mode === undefined ? [] : [makeBox('st3d', uint32(0), Buffer.from([mode]))]
}

function sphericalBox(numbers: Uint32Array): readonly Buffer[] {
  const [projection = -1, yaw = 0, pitch = 0, roll = 0, ...rest] = numbers
  const [left = 0, top = 0, right = 0, bottom = 0, padding = 0] = rest
  // FFmpeg's projections: equirectangular, a cubemap, and a tile of an equirectangular projection.
  const shape = [
    makeBox('equi', uint32(0, 0, 0, 0, 0)),
    makeBox('cbmp', uint32(0, 0, padding)),
    makeBox('equi', uint32(0, top, bottom, left, right)),
  ][projection]
  if (shape === undefined) return []
  const header = makeBox('prhd', uint32(0, yaw, pitch, roll))
  return [makeBox('sv3d', makeBox('svhd', uint32(0), Buffer.from([0])), makeBox('proj', header, shape))]
}

const RESERVED_BYTES = 19

function dolbyBox(bytes: Buffer): readonly Buffer[] {
  const [major = 0, minor = 0, profile = 0, level = 0, rpu = 0, layer = 0, base = 0] = bytes
  const [compatible = 0, packed = 0] = bytes.subarray(7)
  const layers = ((profile << 9) | (level << 3) | (rpu << 2) | (layer << 1) | base) & 0xffff
  const body = [Buffer.from([major, minor]), uint16(layers), Buffer.from([(compatible << 4) | (packed << 2)])]
  return [
    makeBox(profile > 10 ? 'dvwC' : profile > 7 ? 'dvvC' : 'dvcC', ...body, Buffer.alloc(RESERVED_BYTES)),
  ]
}

/**
 * Describes how a video is viewed: 360°, stereo 3D and Dolby Vision. FFmpeg returns structures as raw bytes, in this computer's byte order.
 */
import { AV_PKT_DATA_DOVI_CONF, AV_PKT_DATA_SPHERICAL, AV_PKT_DATA_STEREO3D } from 'node-av/constants'
import type { CodecParameters } from 'node-av/lib'
import { makeBox } from '../make-box.ts'
import { uint32 } from './mp4-boxes.ts'

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
const STEREO_MODES = new Map([
  [0, 0],
  [1, 2],
  [2, 1],
])

function stereoBox([type = 0]: Uint32Array): readonly Buffer[] {
  const mode = STEREO_MODES.get(type)
  return mode === undefined ? [] : [makeBox('st3d', uint32(0), Buffer.from([mode]))]
}

const EQUIRECTANGULAR = 0
const CUBEMAP = 1
const EQUIRECTANGULAR_TILE = 2

function sphericalBox(numbers: Uint32Array): readonly Buffer[] {
  const [projection, yaw = 0, pitch = 0, roll = 0, left = 0, top = 0, right = 0, bottom = 0, padding = 0] =
    numbers
  const shape =
    projection === EQUIRECTANGULAR
      ? makeBox('equi', uint32(0, 0, 0, 0, 0))
      : projection === EQUIRECTANGULAR_TILE
        ? makeBox('equi', uint32(0, top, bottom, left, right))
        : projection === CUBEMAP
          ? makeBox('cbmp', uint32(0, 0, padding))
          : undefined
  if (shape === undefined) return []
  const header = makeBox('prhd', uint32(0, yaw, pitch, roll))
  return [makeBox('sv3d', makeBox('svhd', uint32(0), Buffer.from([0])), makeBox('proj', header, shape))]
}

const DOLBY_BYTES = 24

function dolbyBox(bytes: Buffer): readonly Buffer[] {
  const [
    major = 0,
    minor = 0,
    profile = 0,
    level = 0,
    rpu = 0,
    layer = 0,
    base = 0,
    compatible = 0,
    packed = 0,
  ] = bytes
  const body = Buffer.alloc(DOLBY_BYTES)
  body.writeUInt8(major)
  body.writeUInt8(minor, 1)
  body.writeUInt16BE(((profile << 9) | (level << 3) | (rpu << 2) | (layer << 1) | base) & 0xffff, 2)
  body.writeUInt8(((compatible << 4) | (packed << 2)) & 0xff, 4)
  return [makeBox(profile > 10 ? 'dvwC' : profile > 7 ? 'dvvC' : 'dvcC', body)]
}

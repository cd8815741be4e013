/** Files of this computer that a request names: which of them are photos or videos that can be read. */
import { open, stat } from 'node:fs/promises'
import { isAbsolute, resolve } from 'node:path'
import type { FileError } from '../../shared/api/resources.ts'
import { extensionOf, type MediaKind, mediaKindOf, SUPPORTED_EXTENSIONS } from '../../shared/media-types.ts'
import type { JobInput } from './job-plan.ts'
import { codeOf } from '../../node/errors.ts'

export type Checked = { readonly input: JobInput } | { readonly problem: string }

/** How many files are looked at together: enough to hide a slow disk, few enough for the limit of open files. */
const CHECKED_TOGETHER = 16

/**
 * Section 4, `POST /jobs`: local inputs are checked before acceptance. A path given twice counts once.
 * @returns the good ones in the order given, and the others with the path as given and the reason
 */
export async function checkLocalInputs(
  paths: readonly string[],
): Promise<{ readonly inputs: readonly JobInput[]; readonly skipped: FileError[] }> {
  const distinct = [...new Map(paths.map((path) => [isAbsolute(path) ? resolve(path) : path, path]))]
  const inputs: JobInput[] = []
  const skipped: FileError[] = []
  for (let start = 0; start < distinct.length; start += CHECKED_TOGETHER) {
    const group = distinct.slice(start, start + CHECKED_TOGETHER)
    const results = await Promise.all(group.map(([path]) => checkLocalInput(path)))
    for (const [index, result] of results.entries()) {
      if ('input' in result) inputs.push(result.input)
      else skipped.push({ file: group[index]?.[1] ?? '', error: result.problem })
    }
  }
  return { inputs, skipped }
}

/** Looks at one file as the service will read it. */
export async function checkLocalInput(path: string): Promise<Checked> {
  if (path.includes('\0')) return { problem: 'The path holds a character that no file name may have' }
  if (!isAbsolute(path)) return { problem: 'The path is not absolute' }
  const kind = mediaKindOf(path)
  if (!kind) return { problem: unsupported(extensionOf(path)) }
  try {
    const info = await stat(path)
    if (info.isDirectory()) return { problem: 'This is a folder, not a file' }
    if (!info.isFile()) return { problem: 'This is not a regular file' }
    if (info.size === 0) return { problem: 'The file is empty' }
    const actual = mediaKindOfContent(await readHead(path))
    if (actual !== kind) return { problem: mismatch(kind, actual) }
    return { input: { path, kind } }
  } catch (error) {
    return { problem: unreadable(error) }
  }
}

async function readHead(path: string): Promise<Uint8Array> {
  const file = await open(path, 'r')
  try {
    const head = new Uint8Array(SIGNATURE_BYTES)
    const { bytesRead } = await file.read(head, 0, SIGNATURE_BYTES, 0)
    return head.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Why a file of such an extension is not taken. */
export function unsupported(extension: string): string {
  const given =
    extension === '' ? 'The file name has no extension' : `Files of type .${extension} are not supported`
  return `${given}; supported are ${SUPPORTED_EXTENSIONS.join(', ')}`
}

function mismatch(expected: string, actual: string | undefined): string {
  const found = actual
    ? `it holds ${actual === 'image' ? 'an image' : 'a video'}`
    : 'its content is neither image nor video'
  return `The name says ${expected === 'image' ? 'image' : 'video'}, but ${found}`
}

function unreadable(error: unknown): string {
  const code = codeOf(error)
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'The file does not exist'
  if (code === 'EACCES' || code === 'EPERM') return 'The file may not be read by this user'
  if (code === 'ENAMETOOLONG') return 'The path is too long'
  return `The file can't be read${code === '' ? '' : ` (${code})`}`
}

/** How many bytes from a file's beginning are enough. */
const SIGNATURE_BYTES = 32

type Part = { readonly offset: number; readonly bytes: Uint8Array }
/** All parts have to be there. */
type Signature = { readonly kind: MediaKind; readonly parts: readonly Part[] }

const part = (offset: number, bytes: string): Part => ({ offset, bytes: Buffer.from(bytes, 'latin1') })
const signature = (kind: MediaKind, offset: number, bytes: string): Signature => ({
  kind,
  parts: [part(offset, bytes)],
})
/** RIFF says what it holds behind its length. */
const riff = (kind: MediaKind, form: string): Signature => ({ kind, parts: [part(0, 'RIFF'), part(8, form)] })

/** The most specific first: the ISO container holds both pictures and films. */
const SIGNATURES: readonly Signature[] = [
  signature('image', 0, '\xff\xd8\xff'),
  signature('image', 0, '\x89PNG\r\n\x1a\n'),
  signature('image', 0, 'GIF87a'),
  signature('image', 0, 'GIF89a'),
  riff('image', 'WEBP'),
  signature('image', 0, 'BM'),
  signature('image', 0, 'II*\0'),
  signature('image', 0, 'MM\0*'),
  signature('image', 0, 'II+\0'),
  signature('image', 0, 'MM\0+'),
  ...[
    'heic',
    'heix',
    'heim',
    'heis',
    'hevc',
    'hevx',
    'hevm',
    'hevs',
    'mif1',
    'msf1',
    'mif2',
    'avif',
    'avis',
  ].map((brand) => signature('image', 4, `ftyp${brand}`)),
  signature('video', 4, 'ftyp'),
  // QuickTime before it had a file type of its own begins with any of these.
  ...['moov', 'mdat', 'wide', 'free', 'skip', 'pnot'].map((atom) => signature('video', 4, atom)),
  riff('video', 'AVI '),
  signature('video', 0, '\x1aE\xdf\xa3'),
  // Other films that people keep under one of the supported names; the decoder tells them apart by content.
  signature('video', 0, '\0\0\x01\xba'),
  signature('video', 0, '\0\0\x01\xb3'),
  signature('video', 0, 'FLV\x01'),
  signature('video', 0, 'OggS'),
  signature('video', 0, '0&\xb2u\x8ef\xcf\x11'),
]

/** What a file is by its first bytes, whatever its name says; undefined where they are of neither kind. */
export function mediaKindOfContent(head: Uint8Array): MediaKind | undefined {
  const isThere = ({ offset, bytes }: Part) => bytes.every((byte, index) => head[offset + index] === byte)
  return SIGNATURES.find(({ parts }) => parts.every(isThere))?.kind
}

/** The clipboard's jobs with the real built-in service, on the stand-in's clipboard. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Clipboard, ClipboardItem } from 'electron'
import sharp from 'sharp'
import {
  type ClipboardJobs,
  createClipboardJobs,
} from '../../../../src/main/desktop/clipboard/clipboard-jobs.ts'
import type { Core } from '../../../../src/main/core/index.ts'
import type { ClipboardNews } from '../../../../src/shared/model/clipboard-news.ts'
import { type ClipboardContent, createClipboard } from '../../../stand-in/electron/clipboard.ts'
import { openUntilEnd, temporaryFolder, useBuiltIn } from '../../core/open-core.ts'

export const MARK = 'app.mediatray.result'

export type Board = {
  readonly core: Core
  readonly folder: string
  readonly jobs: ClipboardJobs
  readonly news: ClipboardNews[]
  readonly log: string[]
  readonly copy: (content: ClipboardContent) => void
  readonly copyFiles: (paths: readonly string[], more?: ClipboardContent) => void
  readonly content: () => ClipboardContent
  readonly clipboard: Pick<Clipboard, 'read' | 'write'>
  readonly reads: () => number
  /** Sets the text that other apps have searched for. */
  readonly search: (text: string) => void
  readonly findText: () => string
  readonly setBusy: (busy: boolean) => void
}

type Setting = {
  /** Whether to wait for the built-in service. */
  readonly isOnline?: boolean
  readonly preset?: string
  readonly platform?: NodeJS.Platform
  /** Whether a compositor accepts what the app writes. */
  readonly isInFront?: boolean
}

export async function openBoard({
  isOnline = true,
  preset = 'Web 2048',
  platform = 'linux',
  isInFront = true,
}: Setting = {}): Promise<Board> {
  const folder = await temporaryFolder()
  const core = await openUntilEnd(folder)
  core.settings.update({ clipboardPreset: preset })
  if (isOnline) await useBuiltIn(core)
  const board = createClipboard({ platform: () => platform, acceptsWrites: () => isInFront })
  const clipboard = board.clipboard as unknown as Clipboard
  const news: ClipboardNews[] = []
  const log: string[] = []
  const jobs = createClipboardJobs({
    ...core,
    clipboard,
    ClipboardItem: board.ClipboardItem as unknown as typeof ClipboardItem,
    platform,
    canConfirm: () => isInFront,
    folder: join(folder, 'clipboard'),
    defaultOutput: join(folder, 'out'),
    clock: Date.now,
    tell: (told) => void news.push(told),
    log: (message) => void log.push(message),
  })
  core.events.on('jobFinished', jobs.jobFinished)
  core.events.on('outboxChanged', jobs.outboxChanged)
  const copyFiles: Board['copyFiles'] = (paths, more = {}) =>
    board.set({ 'text/uri-list': paths.map((path) => pathToFileURL(path).href).join('\r\n'), ...more })
  return {
    core, folder, jobs, news, log, clipboard,
    copy: board.set, copyFiles, content: board.get, reads: board.reads,
    search: board.search, findText: board.findText, setBusy: board.setBusy,
  } // prettier-ignore
}

/** An image with noise, which becomes much smaller as a JPEG. */
export async function screenshot(seed = 1, width = 320, height = 200): Promise<Uint8Array> {
  const pixels = Buffer.alloc(width * height * 3)
  let state = seed
  for (let index = 0; index < pixels.length; index++) {
    state = (state * 1_103_515_245 + 12_345) & 0x7fff_ffff
    pixels[index] = ((index / 7) & 0xff) ^ (state >> 26)
  }
  const png = sharp(pixels, { raw: { width, height, channels: 3 } }).png({ compressionLevel: 1 })
  return new Uint8Array(await png.toBuffer())
}

export const pathsIn = (content: ClipboardContent): readonly string[] =>
  new TextDecoder().decode(content['text/uri-list'] as Uint8Array).split('\r\n')

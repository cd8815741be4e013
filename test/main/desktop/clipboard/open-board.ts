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
}

/** @param isOnline whether to wait for the built-in service */
export async function openBoard({ isOnline = true, preset = 'Web 2048' } = {}): Promise<Board> {
  const folder = await temporaryFolder()
  const core = await openUntilEnd(folder)
  core.settings.update({ clipboardPreset: preset })
  if (isOnline) await useBuiltIn(core)
  const board = createClipboard()
  const clipboard = board.clipboard as unknown as Clipboard
  const news: ClipboardNews[] = []
  const log: string[] = []
  const jobs = createClipboardJobs({
    ...core,
    clipboard,
    ClipboardItem: board.ClipboardItem as unknown as typeof ClipboardItem,
    platform: 'linux',
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

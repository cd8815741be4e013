/** The clipboard's jobs with the real built-in service, on the stand-in's clipboard. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Clipboard, ClipboardItem } from 'electron'
import sharp from 'sharp'
import { createClipboardJobs } from '../../../../src/main/desktop/clipboard/clipboard-jobs.ts'
import type { ClipboardNews } from '../../../../src/shared/model/clipboard-news.ts'
import { type ClipboardContent, createClipboard } from '../../../stand-in/electron/clipboard.ts'
import { openUntilEnd, useBuiltIn } from '../../core/open-core.ts'
import { temporaryFolder } from '../../../temporary-folder.ts'

export const MARK = 'app.mediatray.result'

export type Board = Awaited<ReturnType<typeof openBoard>>

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
}: Setting = {}) {
  const folder = temporaryFolder()
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
  const copyFiles = (paths: readonly string[], more: ClipboardContent = {}) =>
    board.set({ 'text/uri-list': paths.map((path) => pathToFileURL(path).href).join('\r\n'), ...more })
  const { set: copy, get: content, reads, search, findText, setBusy } = board
  return {
    core,
    folder,
    jobs,
    news,
    log,
    clipboard,
    copy,
    copyFiles,
    content,
    reads,
    search,
    findText,
    setBusy,
  }
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

/**
 * Measures the time from the shortcut until the result of a 4K screenshot is on the clipboard. The clipboard is only an object in memory,
 * so the time that the system and Electron need to read and convert images isn't included.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clipboard, ClipboardItem } from 'electron'
import sharp from 'sharp'
import { type ClipboardJobs, createClipboardJobs } from '../src/main/desktop/clipboard/clipboard-jobs.ts'
import type { Core } from '../src/main/core/index.ts'
import { ROOT } from './build.ts'
import { median, timed } from './measure.ts'
import { openAppCore } from './notification.ts'
import { atMostTimes, type BenchRow } from './row.ts'

const COPIES = 7
const PRESET = 'Web 2048'

export async function benchClipboard(): Promise<readonly BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'mediatray-bench-clipboard-'))
  const core = openAppCore(folder)
  try {
    await presetOffered(core)
    const board = memoryClipboard()
    const told: string[] = []
    const jobs = openJobs(core, board, folder, told)
    const times: number[] = []
    const alone: number[] = []
    let bytes = 0
    // The first copy also starts the worker.
    for (let copy = 0; copy <= COPIES; copy++) {
      const image = await screenshot(copy)
      board.copy(image)
      const time = await timed(() => jobs.process())
      if (told.at(-1) !== 'ready') throw new Error(`not processed: ${told.at(-1) ?? 'no state reported'}`)
      bytes = image.size
      const bare = await timed(() => throughSharp(image))
      if (copy === 0) continue
      times.push(time)
      alone.push(bare)
    }
    const size = `PNG of ${(bytes / 1e6).toFixed(1)} MB`
    return [
      atMostTimes(
        '4K screenshot to optimized clipboard, built-in service',
        median(times),
        'ms',
        { floor: median(alone), most: 2.5 },
        `median of ${COPIES}, longest ${Math.round(Math.max(...times))} ms; ${size}, clipboard in memory; the floor is sharp alone`,
      ),
    ]
  } finally {
    await core.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Does the preset's work without the app. */
const throughSharp = async (image: Blob): Promise<unknown> =>
  sharp(await image.arrayBuffer())
    .resize(2_048, 2_048, { fit: 'inside' })
    .jpeg({ quality: 82 })
    .toBuffer()

const presetOffered = (core: Core): Promise<void> =>
  new Promise((resolve) => {
    const check = () => {
      if (core.connection.view().presets?.image.includes(PRESET) === true) resolve()
    }
    core.events.on('connectionChanged', check)
    check()
  })

type MemoryClipboard = {
  readonly clipboard: Pick<Clipboard, 'read' | 'write'>
  readonly Item: typeof ClipboardItem
  readonly copy: (image: Blob) => void
}

function memoryClipboard(): MemoryClipboard {
  class Item {
    readonly types: string[]
    readonly items: Readonly<Record<string, Blob | string>>
    constructor(items: Readonly<Record<string, Blob | string>>) {
      this.items = items
      this.types = Object.keys(items)
    }
    getType = (type: string) => Promise.resolve(new Blob([this.items[type] ?? '']))
  }
  let now: readonly Item[] = []
  const clipboard = {
    read: () => Promise.resolve(now),
    write: (items: readonly Item[]) => Promise.resolve(void (now = items)),
  }
  return {
    clipboard: clipboard as unknown as Clipboard,
    Item: Item as unknown as typeof ClipboardItem,
    copy: (image) => {
      now = [new Item({ 'image/png': image })]
    },
  }
}

function openJobs(
  core: Core,
  { clipboard, Item }: MemoryClipboard,
  folder: string,
  told: string[],
): ClipboardJobs {
  core.settings.update({ clipboardPreset: PRESET })
  const jobs = createClipboardJobs({
    ...core,
    clipboard,
    ClipboardItem: Item,
    platform: 'linux',
    canConfirm: () => true,
    folder: join(folder, 'clipboard'),
    defaultOutput: join(folder, 'out'),
    clock: Date.now,
    tell: ({ kind }) => void told.push(kind),
    log: (message) => void told.push(message),
  })
  core.events.on('jobFinished', jobs.jobFinished)
  core.events.on('outboxChanged', jobs.outboxChanged)
  return jobs
}

/** A window with lines of text next to a photo. */
async function screenshot(copy: number): Promise<Blob> {
  const lines = Array.from({ length: 70 }, (_, line) => {
    const width = 300 + ((line * 7_919 + copy * 104_729) % 1_300)
    return `<rect x="80" y="${120 + line * 28}" width="${width}" height="3" stroke="#333" stroke-width="9" stroke-dasharray="7 3 11 4 5 3"/>`
  })
  const page = `<svg xmlns="http://www.w3.org/2000/svg" width="3840" height="2160">${lines.join('')}</svg>`
  const photo = await sharp(join(ROOT, 'assets/samples/dawn-upright.jpg'))
    .resize(1_800, 1_900, { fit: 'cover' })
    .toBuffer()
  const png = await sharp({ create: { width: 3840, height: 2160, channels: 3, background: '#f4f4f4' } })
    .composite([
      { input: Buffer.from(page), left: 0, top: 0 },
      { input: photo, left: 1_960, top: 140 },
    ])
    .png()
    .toBuffer()
  return new Blob([new Uint8Array(png)])
}

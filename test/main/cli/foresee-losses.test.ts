import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, it } from 'vitest'
import type { Context } from '../../../src/main/cli/context.ts'
import { sayingLosses } from '../../../src/main/cli/foresee-losses.ts'
import { type CliEvent, wordsFor } from '../../../src/main/cli/output/events.ts'
import type { Draft } from '../../../src/shared/model/draft.ts'
import { lossReason } from '../../../src/shared/loss/loss.ts'
import { jsonLines, realTiming, runHere, temporaryFolder } from './command.ts'
import { SERVICE } from '../../entries.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'
import { draftOfFiles } from '../outbox/drafts.ts'

const pages = { code: 'pages', why: lossReason('holdsOnePage', { format: 'JPEG' }), files: 1 }
const wouldLose = { files: 1, kinds: [pages] }

async function scan(folder: string): Promise<string> {
  const path = join(folder, 'scan.tif')
  const colors = ['red', 'lime', 'blue'].map((background) =>
    sharp({ create: { width: 60, height: 40, channels: 3, background } })
      .png()
      .toBuffer(),
  )
  await writeFile(
    path,
    await sharp(await Promise.all(colors), { join: { animated: true } })
      .tiff()
      .toBuffer(),
  )
  return path
}

async function begin({ isLive = true } = {}) {
  const folder = temporaryFolder()
  const path = await scan(folder)
  const said: CliEvent[] = []
  const { promise: spoken, resolve: speak } = Promise.withResolvers<void>()
  const context = {
    service: { kind: 'builtIn' },
    report: {
      isLive,
      say(event: CliEvent) {
        said.push(event)
        speak()
      },
    },
    environment: {
      env: { MEDIATRAY_DATA_DIR: join(folder, 'data') },
      builtInEntry: SERVICE,
      timing: realTiming,
      interrupted: new AbortController().signal,
    },
  } as unknown as Context
  const draft = (change: Partial<Draft> = {}): Draft =>
    draftOfFiles([path], { output: { kind: 'folder', path: folder }, ...change })
  return { context, draft, said, spoken }
}

it('reports once for each preset what the results will lose, while the work runs', async () => {
  const { context, draft, said, spoken } = await begin()
  expect(await sayingLosses(context, draft(), undefined, () => spoken.then(() => 7))).toBe(7)
  expect(said).toEqual([{ event: 'foreseen', wouldLose }])
  expect(said.map((event) => wordsFor(event))).toEqual([
    { to: 'stderr', lines: ['1 file would lose something: pages. JPEG holds one page.'] },
  ])
  const several = await begin()
  await sayingLosses(
    several.context,
    draft({ presets: ['Missing', 'Web 2048'] }),
    undefined,
    () => several.spoken,
  )
  expect(several.said).toEqual([{ event: 'foreseen', wouldLose, preset: 'Web 2048' }])
})

it('never delays the work, and reports nothing that no one reads', async () => {
  const { context, draft, said } = await begin()
  await sayingLosses(context, draft(), undefined, () => Promise.resolve())
  await expect(
    sayingLosses(context, draft(), undefined, () => Promise.reject(new Error('full'))),
  ).rejects.toThrow('full')
  const unread = await begin({ isLive: false })
  await sayingLosses(unread.context, draft(), undefined, () => Promise.resolve())
  expect([...said, ...unread.said]).toEqual([])
})

itInLongSuite('is part of an estimate', async () => {
  const folder = temporaryFolder()
  const path = await scan(folder)
  const options = { env: { MEDIATRAY_DATA_DIR: join(folder, 'data') }, cwd: folder }
  const { stdout } = await runHere(['--json', 'estimate', path, '--preset', 'Web 2048'], options)
  // On a slow computer, the command says that it waits.
  expect(jsonLines(stdout).at(-1)).toMatchObject({ event: 'forecast', wouldLose })
  const text = await runHere(['estimate', path, '--preset', 'Web 2048'], options)
  expect(text.stdout).toContain('1 file would lose something: pages. JPEG holds one page.\n')
})

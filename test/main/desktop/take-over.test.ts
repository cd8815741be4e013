import { expect, it } from 'vitest'
import { takeOwnership } from '../../../src/main/database/index.ts'
import { takeOver } from '../../../src/main/desktop/take-over.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { fastTiming } from '../cli/command.ts'

/** Takes over from an owner that doesn't listen. @param answer what the user answers */
async function takingOver(answer: (release: () => void) => number) {
  const dataDir = temporaryFolder()
  const owner = takeOwnership(dataDir)
  const asked: string[] = []
  const lock = await takeOver({
    app: { getLocale: () => 'en-US' },
    dialog: {
      showMessageBox(...given: unknown[]) {
        asked.push(JSON.stringify(given))
        return Promise.resolve({ response: answer(() => owner?.release()), checkboxChecked: false })
      },
    },
    timing: fastTiming(100),
    dataDir,
  })
  lock?.release()
  return { hasLock: lock !== undefined, asked: asked.map((text) => text.includes(dataDir)) }
}

it('names the data folder if its owner doesn’t end, and takes it when the owner has ended and the user tries again', async () => {
  let times = 0
  const taken = await takingOver((release) => {
    if (++times === 2) release()
    return 0
  })
  expect(taken).toEqual({ hasLock: true, asked: [true, true] })
})

it('gives up when the user quits', async () => {
  expect(await takingOver(() => 1)).toEqual({ hasLock: false, asked: [true] })
})

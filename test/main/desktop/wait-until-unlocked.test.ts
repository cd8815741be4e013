import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { waitUntilUnlocked } from '../../../src/main/desktop/wait-until-unlocked.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { fastTiming } from '../cli/command.ts'

/** A data folder whose outbox another program has locked. */
function lockedFolder() {
  const dataDir = temporaryFolder()
  const other = new DatabaseSync(join(dataDir, 'outbox.db'))
  other.exec('CREATE TABLE t (x); BEGIN IMMEDIATE')
  onTestFinished(() => other.close())
  return { dataDir, unlock: () => other.exec('ROLLBACK') }
}

const parts = (dataDir: string, answer: () => number) => {
  const asked: string[] = []
  return {
    asked,
    app: { getLocale: () => 'en-US' },
    dialog: {
      showMessageBox: (...given: unknown[]) => {
        asked.push(JSON.stringify(given))
        return Promise.resolve({ response: answer(), checkboxChecked: false })
      },
    },
    timing: fastTiming(),
    dataDir,
  }
}

it('names the locked file after a while, and continues when the file is unlocked and the user retries', async () => {
  const { dataDir, unlock } = lockedFolder()
  const given = parts(dataDir, () => {
    unlock()
    return 0
  })
  expect(await waitUntilUnlocked(given)).toBeDefined()
  expect(given.asked).toEqual([expect.stringContaining('outbox.db')])
})

it('stops waiting when the user quits', async () => {
  const { dataDir } = lockedFolder()
  expect(await waitUntilUnlocked(parts(dataDir, () => 1))).toBeUndefined()
})

it('doesn’t ask if the files are unlocked within five seconds', async () => {
  const { dataDir, unlock } = lockedFolder()
  const given = parts(dataDir, () => 1)
  const waiting = waitUntilUnlocked(given)
  unlock()
  expect(await waiting).toBeDefined()
  expect(given.asked).toEqual([])
})

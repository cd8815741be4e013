import { copyFileSync, mkdirSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEvents, type CoreEvents } from '../../../src/main/core/events.ts'
import { createFileAccess } from '../../../src/main/core/file-access.ts'
import { measureResults } from '../../../src/main/core/measure-results.ts'
import { openHistory } from '../../../src/main/history/index.ts'
import { stagingIn } from '../staging/test-staging.ts'
import { systemTiming } from '../../../src/node/timing.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { submissionOf } from '../history/sample-records.ts'
import { samples, temporaryFolder } from './open-core.ts'

const PHOTO = join(samples, 'dawn-upright.jpg')

const log = () => undefined
const builtInKeys = () => Promise.resolve(() => undefined)

/** @returns the size that the history stores for a finished job, in bytes; null if it stores none */
async function measured(output: string, results: readonly string[]): Promise<number | null | undefined> {
  const events = createEvents<CoreEvents>(log)
  const file = join(await temporaryFolder(), 'history.db')
  const history = openHistory({ file, clock: Date.now, log })
  onTestFinished(() => history.close())
  const id = asRecordId('a')
  history.recordSubmission(submissionOf(id, ['/in/a.jpg'], { output: { kind: 'folder', path: output } }))
  history.recordResults(
    id,
    results.map((outputPath, index) => ({ file: 'a.jpg', outputPath, index })),
    [],
  )
  history.recordOutcome(id, { kind: 'done', results: results.length, uploaded: null }, Date.now())
  const access = createFileAccess({ find: () => undefined })
  const staging = stagingIn(join(file, '..'))
  await measureResults({ events, history, staging, access, builtInKeys, timing: systemTiming, log }).now()
  expect(history.unmeasured()).toEqual([])
  return history.details(id)?.resultBytes
}

describe('the size of the results', () => {
  it('is the total size of the files in the job’s folder', async () => {
    const output = await temporaryFolder()
    const results = ['one.jpg', 'below/two.jpg'].map((name) => join(output, name))
    mkdirSync(join(output, 'below'))
    for (const result of results) copyFileSync(PHOTO, result)
    expect(await measured(output, results)).toBe(2 * statSync(PHOTO).size)
  })

  it('is not measured if a service names a file outside the job’s folder, or a link that leads outside', async () => {
    const output = await temporaryFolder()
    const link = join(output, 'link.jpg')
    symlinkSync(PHOTO, link)
    for (const named of ['/etc/passwd', PHOTO, join(output, '..', 'a.jpg'), link])
      expect(await measured(output, [named]), named).toBeNull()
  })

  it('excludes Windows network shares and device paths, regardless of the job’s folder', async () => {
    const access = createFileAccess({ find: () => undefined }, 'win32')
    for (const folder of ['C:\\out', '\\\\host\\share'])
      for (const named of ['\\\\host\\share\\a.jpg', '//host/share/a.jpg', '\\\\?\\C:\\out\\a.jpg'])
        expect(await access.toResult(named, folder), named).toEqual({ kind: 'foreign' })
  })
})

/** Notes which test each process runs, for the watchdog. Written at once, because a busy process doesn't send anything. */
import { rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, beforeEach, expect } from 'vitest'

const folder = process.env['MEDIATRAY_RUNNING_TESTS']
const file = relative(process.cwd(), expect.getState().testPath ?? '')

if (folder !== undefined) {
  const note = join(folder, String(process.pid))
  writeFileSync(note, file)
  beforeEach(() => writeFileSync(note, `${file} > ${expect.getState().currentTestName ?? ''}`))
  afterAll(() => rmSync(note, { force: true }))
}

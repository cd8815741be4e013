/** Tests how `npm start` handles a runtime that can't run here. Small programs exit the way the runtime would. */
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { electronRuntime, runElectron } from '../../scripts/electron-runtime.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const ROOT = join(import.meta.dirname, '../..')

function programThat(...lines: readonly string[]): string {
  const path = join(temporaryFolder(), 'electron')
  writeFileSync(path, ['#!/bin/sh', ...lines, ''].join('\n'))
  chmodSync(path, 0o755)
  return path
}

test.skipIf(process.platform === 'win32')('a runtime that aborts while it starts can’t run here', () => {
  for (const signal of ['TRAP', 'ABRT', 'ILL', 'SEGV']) {
    const ended = runElectron(programThat(`kill -${signal} $$`), [])
    expect(ended).toContain(`(SIG${signal})`)
    expect(ended).toContain('apparmor_restrict_unprivileged_userns')
  }
  expect(runElectron(programThat('exit 127'), [])).toContain('system libraries')
  expect(runElectron('/nowhere/electron', [])).toContain('Couldn’t start')
})

test.skipIf(process.platform === 'win32')('a runtime that has started gives its exit code', () => {
  expect(runElectron(programThat('exit 0'), [])).toBe(0)
  expect(runElectron(programThat('exit "$1"'), ['3'])).toBe(3)
  // SIGTERM means that the user ended the app, not that it crashed.
  expect(runElectron(programThat('kill -TERM $$'), [])).toBe(1)
})

test.skipIf(process.platform === 'win32')('the runtime is found where its package says', () => {
  const path = programThat('exit 0')
  process.env['ELECTRON_OVERRIDE_DIST_PATH'] = join(path, '..')
  onTestFinished(() => void delete process.env['ELECTRON_OVERRIDE_DIST_PATH'])
  // The package downloads a missing runtime anyway. If it has never been downloaded, there is no path to check.
  expect([path, undefined]).toContain(electronRuntime(ROOT))
})

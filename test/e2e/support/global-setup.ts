/** Before all specs: the bundles are built, and there is a session with a keychain. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startKeychainSession } from './keychain-session.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    readonly session: Readonly<Record<string, string>>
  }
}

const ROOT = join(import.meta.dirname, '../../..')

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  buildUnlessBuilt()
  // macOS and Windows have a keychain of their own, and no session bus.
  if (process.platform !== 'linux') {
    project.provide('session', {})
    return () => Promise.resolve()
  }
  const session = await startKeychainSession()
  project.provide('session', session.env)
  return () => session.stop()
}

/** `npm test` has built already, and says so. */
function buildUnlessBuilt(): void {
  const built = process.env['MEDIATRAY_BUILT'] === '1' && existsSync(join(ROOT, 'dist/main/index.js'))
  if (built) return
  const { status } = spawnSync(process.execPath, [join(ROOT, 'scripts/build.ts')], { stdio: 'inherit' })
  if (status !== 0) throw new Error('The app could not be built')
}

/** Builds the bundles and starts a session with a keychain before all specs. */
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
  // macOS and Windows have their own keychain and no session bus.
  if (process.platform !== 'linux') {
    project.provide('session', {})
    return () => Promise.resolve()
  }
  const session = await startKeychainSession()
  project.provide('session', session.env)
  return () => session.stop()
}

/** `npm test` sets a variable when it has already built. */
function buildUnlessBuilt(): void {
  const built = process.env['MEDIATRAY_BUILT'] === '1' && existsSync(join(ROOT, 'dist/main/index.js'))
  if (built) return
  const { status } = spawnSync(process.execPath, [join(ROOT, 'scripts/build.ts')], { stdio: 'inherit' })
  if (status !== 0) throw new Error("Couldn't build the app")
}

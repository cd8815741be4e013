/**
 * The app as the end-to-end specs see it: on the stand-in, or on the real runtime (`MEDIATRAY_E2E=electron`). Both have the same
 * interface; a spec that uses something the real runtime doesn't offer is skipped at that point and counted.
 */
import { join } from 'node:path'
import { type App, launchApp, type LaunchOptions } from '../stand-in/driver.ts'
import { launchElectron } from './real-app.ts'

const MAIN_BUNDLE = join(import.meta.dirname, '../../dist/main/index.js')

export type AppUnderTest = Omit<App, 'runtime'> & { readonly runtime: 'stand-in' | 'electron' }

export const onRealElectron = (): boolean => process.env['MEDIATRAY_E2E'] === 'electron'

/** Starts the built app; `await using` stops it. */
export function launch(options: Partial<LaunchOptions> = {}): Promise<AppUnderTest> {
  return onRealElectron() ? launchElectron(options) : launchApp({ mainBundle: MAIN_BUNDLE, ...options })
}

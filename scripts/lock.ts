/**
 * `npm run lock`, after changing dependencies: removes each package's required Node version from the lock file.
 * npm compares the required version with its own Node, warns about mismatches, and silently skips optional packages. But all
 * packages run on the Node that this lock file installs.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

const path = resolve(import.meta.dirname, '../package-lock.json')

/** A dependency may be named "engines" too; its value is then a version string. */
const withoutEngines = (key: string, value: unknown): unknown =>
  key === 'engines' && typeof value === 'object' ? undefined : value

const lock: unknown = JSON.parse(readFileSync(path, 'utf8'), withoutEngines)
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`)

/**
 * `npm run lock`, after the dependencies were changed: takes out of the lock file for which Node each package is made. npm holds
 * that against the Node that it runs on itself, warns of what is wrong for it, and leaves out optional packages without a word; but
 * all of them run on the Node that is one of them.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

const path = resolve(import.meta.dirname, '../package-lock.json')

/** A dependency may have that name too; then it stands for a version. */
const withoutEngines = (key: string, value: unknown): unknown =>
  key === 'engines' && typeof value === 'object' ? undefined : value

const lock: unknown = JSON.parse(readFileSync(path, 'utf8'), withoutEngines)
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`)

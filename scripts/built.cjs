/**
 * Checks whether the bundles in `dist/` are up to date with the sources.
 * They start much faster than the sources, so `npm run cli` and `npm run service` use them if the result is the same. Runs on Node
 * 14 or later.
 */
'use strict'
const { readFileSync, readdirSync, statSync } = require('fs')
const path = require('path')

/** Written last by a full build (scripts/build.ts). Holds the time when the build began, so it doesn't cover later changes. */
const STAMP = path.join('dist', 'built.json')

/** The inputs of a bundle. npm writes the last one during installation. */
const INGREDIENTS = ['src', 'scripts/build.ts', 'package.json', 'node_modules/.package-lock.json']

/** Returns the latest change in ms since 1970. Includes folders themselves, because a deleted file changes only its folder. */
function lastChange(entry) {
  const info = statSync(entry)
  if (!info.isDirectory()) return info.mtimeMs
  return readdirSync(entry).reduce(
    (latest, name) => Math.max(latest, lastChange(path.join(entry, name))),
    info.mtimeMs,
  )
}

/** @param root absolute path of the project */
function isBuilt(root) {
  try {
    const { begun } = JSON.parse(readFileSync(path.join(root, STAMP), 'utf8'))
    return INGREDIENTS.every((name) => lastChange(path.join(root, name)) < begun)
  } catch {
    // There is no build, or something can't be read.
    return false
  }
}

module.exports = { isBuilt }

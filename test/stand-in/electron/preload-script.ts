/** The source text that runs in every document of a window before its own scripts. */
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'

export const PRELOAD_WORLD = 'preload'
export const BINDING = 'standInTell'

/** @param secret shared by the two worlds only while they connect, before any script of the page runs */
export function windowScripts(options: {
  readonly secret: string
  readonly preload: string | undefined
  readonly platform: string
}) {
  const secret = JSON.stringify(options.secret)
  const preload = options.preload === undefined ? '' : readFileSync(options.preload, 'utf8')
  const versions = { electron: process.versions['electron'], node: process.versions.node }
  const described = JSON.stringify({ platform: options.platform, versions })
  return {
    pageWorld: inOneFunction(['bridge-end', 'page-world'], `startPageWorld(${secret})`),
    preloadWorld: inOneFunction(
      ['codec', 'bridge-end', 'preload-world'],
      `const parts = { secret: ${secret}, tellApp: globalThis.${BINDING}, process: ${described} }
      startPreloadWorld(parts, function (require, module, exports, process) {\n${preload}\n})`,
    ),
  }
}

/** Wraps the files of `page/` in one function. This works because they import only each other at run time. */
function inOneFunction(names: readonly string[], call: string): string {
  const texts = names.map((name) => {
    const source = readFileSync(new URL(`../page/${name}.ts`, import.meta.url), 'utf8')
    return stripTypeScriptTypes(source)
      .replaceAll(/^import .*$/gm, '')
      .replaceAll(/^export /gm, '')
  })
  return `(() => {\n'use strict'\n${texts.join('\n')}\n${call}\n})()`
}

/** Which modules a bundle has taken in, as the bundler knows it: written while it is built, read when its notices are checked. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import * as z from 'zod'

const FOLDER = 'modules'

/** @param dist where a file of the bundle's name is put, in a folder that is not packed */
export const recordModules = (dist: string, bundle: string): Plugin => ({
  name: 'record-modules',
  generateBundle(_options, output) {
    const ids = Object.values(output).flatMap((made) => (made.type === 'chunk' ? made.moduleIds : []))
    const names = new Set(
      ids.flatMap((id) => /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? []),
    )
    mkdirSync(join(dist, FOLDER), { recursive: true })
    writeFileSync(join(dist, FOLDER, `${bundle}.json`), JSON.stringify([...names].toSorted()))
  },
})

/** Of all bundles. */
export const bundledModules = (dist: string): readonly string[] =>
  readdirSync(join(dist, FOLDER)).flatMap((name) =>
    z.array(z.string()).parse(JSON.parse(readFileSync(join(dist, FOLDER, name), 'utf8'))),
  )

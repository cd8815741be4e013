/** Records which modules a bundle includes, according to the bundler. Written by the build, read by the notices check. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import * as z from 'zod'

const FOLDER = 'modules'

/** @param dist the folder that receives a file named after the bundle, in a subfolder that isn't packed */
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

/** Returns the modules of all bundles. */
export const bundledModules = (dist: string): readonly string[] =>
  readdirSync(join(dist, FOLDER)).flatMap((name) =>
    z.array(z.string()).parse(JSON.parse(readFileSync(join(dist, FOLDER, name), 'utf8'))),
  )

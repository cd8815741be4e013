import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, parse } from 'node:path'
import { build } from 'vite'
import { afterAll } from 'vitest'

/**
 * Bundles a script of a test file that starts it often, and removes the bundle after the tests of the file. Loading one file takes a
 * third of the processor time of loading its sources. Workers don't get the environment variable for Node's cache of compiled code.
 * @returns path of the bundle
 */
export async function bundled(script: string): Promise<string> {
  const outDir = await mkdtemp(join(tmpdir(), 'mediatray-bundle-'))
  afterAll(() => rm(outDir, { recursive: true, force: true }))
  const entryFileNames = `${parse(script).name}.mjs`
  await build({
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: script,
      outDir,
      target: 'node24',
      minify: false,
      rolldownOptions: { output: { entryFileNames, codeSplitting: false } },
    },
  })
  return join(outDir, entryFileNames)
}

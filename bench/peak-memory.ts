/**
 * Prints the peak resident size of a process that creates one file, and measures its quality if it is rated:
 * node peak-memory.ts FILE RECIPE-JSON [CORES] [--rated]
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { makeFile } from '../src/media/make-file.ts'
import { createPauseGate } from '../src/node/pause-gate.ts'
import { ImageRecipe, VideoRecipe } from '../src/shared/preset/preset.ts'
import { temporaryFolder } from './temporary-folder.ts'

const { positionals, values } = parseArgs({ allowPositionals: true, options: { rated: { type: 'boolean' } } })
const [file = '', text = '{}', cores] = positionals
const { kind, ...recipe } = JSON.parse(text)
await using folder = await temporaryFolder()
const started = performance.now()
await makeFile(
  {
    inputPath: file,
    folder: folder.path,
    temporaryPrefix: 'result',
    recipe:
      kind === 'video'
        ? { kind, video: VideoRecipe.parse(recipe) }
        : { kind: 'image', image: ImageRecipe.parse(recipe) },
    variation: undefined,
    neverLarger: false,
    // Otherwise, a result isn't measured if that takes long compared with its processing.
    keepBelowQuality: values.rated === true ? 1 : undefined,
    cores: cores === undefined ? undefined : Number(cores),
  },
  { signal: new AbortController().signal, pause: createPauseGate(), onProgress: () => undefined },
)
const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
console.log(`${Math.round(Number(kilobytes) / 1024)} MiB ${Math.round(performance.now() - started)} ms`)

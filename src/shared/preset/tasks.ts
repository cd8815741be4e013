/**
 * What most users want to do with their files. Each task is a preset with a fixed name. The service doesn't list tasks among its presets. A
 * saved preset with the same name replaces a task.
 */
import type * as z from 'zod'
import { once } from '../once.ts'
import { setInJson } from './json-text.ts'
import type { Preset } from './preset.ts'
import { readPreset } from './read-preset.ts'
import { USUAL_NAME } from './result-name.ts'
import { slugOf } from './slug.ts'
import { type TaskName, taskOf } from './task-names.ts'

const DOCUMENTS = [
  {
    name: 'Make smaller',
    description: 'Same format and dimensions. Videos become HEVC.',
    image: { format: 'same', look: 80, effort: 'small', colour: 'keep', metadata: 'keep' },
    video: { container: 'same', codec: 'hevc', look: 80, speed: 'fast' },
    results: { neverLarger: 'always' },
  },
  {
    name: 'For the web',
    description: 'Photos: JPEG, 2048 px. Videos: H.264, 1080p. Location removed.',
    image: {
      format: 'jpeg',
      look: 75,
      size: { width: 2048, height: 2048, fit: 'inside' },
      metadata: 'strip-location',
    },
    video: {
      container: 'mp4',
      codec: 'h264',
      look: 75,
      height: 1080,
      audio: 'aac',
      metadata: 'strip-location',
    },
  },
  {
    name: 'Under a size',
    description: 'The best quality that fits, with fewer pixels if necessary.',
    image: { format: 'same', maxBytes: 2_000_000, mayShrink: true, colour: 'keep', metadata: 'keep' },
    video: {
      container: 'mp4',
      codec: 'h264',
      maxBytes: 2_000_000,
      mayShrink: true,
      speed: 'fast',
      audio: 'aac',
    },
    results: { neverLarger: 'always' },
  },
  {
    name: 'Remove location',
    description: 'Camera and date stay. Pixels and frames are copied wherever possible.',
    image: { format: 'same', quality: 92, colour: 'keep', metadata: 'strip-location' },
    video: { container: 'same', codec: 'copy', metadata: 'strip-location' },
  },
] satisfies readonly (z.input<typeof Preset> & { readonly name: TaskName })[]

/** In the order in which they are offered. */
export const tasks = once(() =>
  DOCUMENTS.flatMap((document) => documentIn(`${JSON.stringify(document, null, 2)}\n`) ?? []),
)

function documentIn(text: string) {
  const { preset } = readPreset(text)
  return preset && { name: preset.name, text, preset }
}

/** Returns the task that a preset's name stands for, with its document; undefined if it stands for none. */
export function taskNamed(name: string): ReturnType<typeof documentIn> {
  const task = taskOf(name)
  const found = tasks().find((one) => one.name === task?.name)
  if (found === undefined || task?.megabytes === undefined || found.name === name) return found
  const maxBytes = Math.round(task.megabytes * 1_000_000)
  const fields = {
    name,
    'image.maxBytes': maxBytes,
    'video.maxBytes': maxBytes,
    // The size would make the names of results unnecessarily long.
    'results.name': USUAL_NAME.replaceAll('{preset}', slugOf(found.name)),
  }
  return documentIn(
    Object.entries(fields).reduce((text, [path, value]) => setInJson(text, path, value), found.text),
  )
}

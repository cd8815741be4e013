/** The JSON that a program or URL gets after a job (docs/hooks.md). Within a version, fields are only added. */
import * as z from 'zod'
import { QualitySchema } from '../quality/read-quality.ts'

const time = z.iso.datetime().describe('UTC, such as 2026-11-25T12:04:00.000Z')
const path = z.string().describe('Absolute path')
const bytes = z.int().min(0)

const Original = z.object({ path, kind: z.enum(['photo', 'video']), bytes })

const Result = z.object({
  path,
  original: path.nullable().describe('null if unknown'),
  preset: z.string().nullable().describe('null means the service’s basic defaults'),
  bytes: bytes.nullable().describe('null if the file isn’t on this computer'),
  losses: z
    .array(z.object({ message: z.string().describe('In English'), code: z.string() }))
    .describe('What the original has and the result lacks, although the preset didn’t ask for that'),
  quality: QualitySchema.nullable().describe(
    'How similar the result looks to the original, 0 to 100; null if unknown or not measured',
  ),
})

const Problem = z.object({
  file: z.string().describe('Path or name; empty if the problem isn’t about a file'),
  message: z.string().describe('In English'),
  code: z.string().optional().describe('Absent if another service reported the problem'),
})

const Output = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('folders'), paths: z.array(path) }),
  z.object({ kind: z.literal('drive'), folderId: z.string() }),
])

const count = z.int().min(0)

export const JobReport = z.object({
  version: z.literal(1),
  id: z.string().describe('The same for every try of one action for one job'),
  test: z.boolean().describe('Whether this is an example and not about a job'),
  job: z.object({
    id: z.string(),
    outcome: z.enum(['done', 'problems', 'failed']),
    error: z.string().nullable().describe('Why the whole job failed, in English'),
    createdAt: time,
    startedAt: time.nullable(),
    endedAt: time,
    presets: z.array(z.string()),
    watchedFolder: path.nullable().describe('null if the job isn’t from a watched folder'),
    driveInput: z.string().nullable().describe('ID of the Drive folder with the originals'),
    output: Output.nullable(),
    originals: z.array(Original),
    results: z.array(Result).describe('Empty for results that were uploaded to Drive'),
    uploaded: count.nullable().describe('Number of files that were uploaded to Drive'),
    replaced: z.object({ replaced: count, kept: count, restored: count }).nullable(),
    problems: z.array(Problem),
  }),
})
export type JobReport = Readonly<z.infer<typeof JobReport>>

/** Returns the JSON Schema (2020-12) of a report. */
export function jobReportSchema(): object {
  const { $schema, ...rest } = z.toJSONSchema(JobReport)
  return { $schema, title: 'Mediatray job report', ...rest }
}

/** Returns the report that a test sends. Its job is made up and reveals nothing about the user's files. */
export const exampleReport = (id: string, endedAt: Date): JobReport => ({
  version: 1,
  id,
  test: true,
  job: {
    id: 'example',
    outcome: 'problems',
    error: null,
    createdAt: new Date(endedAt.getTime() - 8_000).toISOString(),
    startedAt: new Date(endedAt.getTime() - 7_000).toISOString(),
    endedAt: endedAt.toISOString(),
    presets: ['Web 2048'],
    watchedFolder: null,
    driveInput: null,
    output: { kind: 'folders', paths: ['/home/ada/Pictures/Web'] },
    originals: [
      { path: '/home/ada/Pictures/harbor.heic', kind: 'photo', bytes: 4_100_000 },
      { path: '/home/ada/Pictures/pier.jpg', kind: 'photo', bytes: 3_900_000 },
    ],
    results: [
      {
        path: '/home/ada/Pictures/Web/harbor.jpg',
        original: '/home/ada/Pictures/harbor.heic',
        preset: 'Web 2048',
        bytes: 612_000,
        losses: [{ message: 'HDR. JPEG doesn’t support this type.', code: 'hdr' }],
        quality: { score: 84, isSampled: true },
      },
    ],
    uploaded: null,
    replaced: null,
    problems: [{ file: '/home/ada/Pictures/pier.jpg', message: 'The file is damaged.', code: 'fileDamaged' }],
  },
})

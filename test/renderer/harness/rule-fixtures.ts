/** A watched folder with rules, as in the design. */
import type { FolderRule, FolderRules } from '../../../src/shared/model/folder-rules.ts'
import type { DryRun, DryRunFile } from '../../../src/shared/model/dry-run.ts'
import type { WatchFolderView } from '../../../src/shared/model/watch-folder.ts'

export const RULED: FolderRules = {
  rules: [
    {
      id: 'large',
      when: [
        { about: 'kind', is: 'video' },
        { about: 'size', compare: 'more', amount: 1, unit: 'GB' },
      ],
      action: { do: 'process', presets: ['H.264 1080p'], output: { kind: 'replace' } },
    },
    {
      id: 'screenshots',
      when: [{ about: 'name', matches: true, pattern: 'Screenshot*' }],
      action: { do: 'ignore' },
    },
    {
      id: 'wide',
      when: [
        { about: 'kind', is: 'image' },
        { about: 'dimensions', side: 'width', compare: 'more', pixels: 4_000 },
      ],
      action: {
        do: 'process',
        presets: ['Web 2048', 'Thumbnails 512'],
        output: { kind: 'beside', subfolder: null },
      },
    },
    {
      id: 'scans',
      when: [{ about: 'subfolder', path: 'Scans' }],
      action: { do: 'process', presets: ['Print A5'], output: { kind: 'beside', subfolder: 'A5' } },
    },
  ] satisfies FolderRule[],
  rest: 'ignore',
}

/** Gives the first folder rules, one of which has a missing preset. */
export const withRules = (
  [first, ...others]: readonly WatchFolderView[],
  change: Partial<WatchFolderView> = {},
): readonly WatchFolderView[] =>
  first === undefined
    ? []
    : [
        {
          ...first,
          recursive: true,
          rules: RULED,
          waiting: [{ preset: 'Print A5', files: 3 }],
          ...change,
        },
        ...others,
      ]

const tried = (name: string, size: number, header: DryRunFile['header'] = null): DryRunFile => ({
  path: `/home/ida/Camera Uploads/${name}`,
  name,
  size,
  modified: Date.UTC(2026, 10, 12),
  header,
})
const photos = (count: number): readonly DryRunFile[] =>
  Array.from({ length: Math.min(count, 50) }, (_, n) =>
    tried(`DSC_${4_800 + n}.heic`, 4_100_000, { width: 6_048, height: 4_024, duration: null }),
  )

export const DRY_RUN: DryRun = {
  files: 214,
  stopped: false,
  rules: [
    {
      files: 3,
      listed: [
        tried('clip_0148.mov', 1_400_000_000),
        tried('harbour-walk_full.mp4', 2_100_000_000),
        tried('interview-b_take01.mov', 6_800_000_000),
      ],
    },
    { files: 31, listed: photos(31) },
    { files: 112, listed: photos(112) },
    { files: 3, listed: photos(3) },
    { files: 65, listed: photos(65) },
  ],
}

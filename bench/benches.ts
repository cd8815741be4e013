/** The benchmarks by name, in the order of the table. */
import type { BenchRow } from './row.ts'

/** Each runs in its own process, so this file loads none of them. */
export const BENCHES: Readonly<Record<string, () => Promise<() => Promise<readonly BenchRow[]>>>> = {
  command: async () => (await import('./command.ts')).benchCommand,
  'large-photo': async () => (await import('./large-photo.ts')).benchLargePhoto,
  images: async () => (await import('./images.ts')).benchImages,
  heic: async () => (await import('./images.ts')).benchHeic,
  video: async () => (await import('./video.ts')).benchVideo,
  cores: async () => (await import('./cores.ts')).benchCores,
  preview: async () => (await import('./preview.ts')).benchPreview,
  estimate: async () => (await import('./estimate.ts')).benchEstimate,
  upload: async () => (await import('./upload.ts')).benchUpload,
  'get-jobs': async () => (await import('./get-jobs.ts')).benchGetJobs,
  'poll-tick': async () => (await import('./poll-tick.ts')).benchPollTick,
  outbox: async () => (await import('./outbox.ts')).benchOutbox,
  'not-twice': async () => (await import('./not-twice.ts')).benchNotTwice,
  'folder-rules': async () => (await import('./folder-rules.ts')).benchFolderRules,
  clipboard: async () => (await import('./clipboard.ts')).benchClipboard,
  replace: async () => (await import('./replace.ts')).benchReplace,
  history: async () => (await import('./history.ts')).benchHistory,
  'history-million': async () => (await import('./history.ts')).benchLongHistory,
  app: async () => (await import('./app.ts')).benchApp,
  idle: async () => (await import('./idle.ts')).benchIdle,
}

/** Benchmarks that take up to an hour each and run only when named. */
export const LONG = new Set(['history-million', 'estimate'])

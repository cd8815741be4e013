import type { Ask } from './requests.ts'
import type { OwnJobs } from './own-jobs.ts'
import type { SampleFiles } from './sample-files.ts'

export type CheckContext = {
  readonly ask: Ask
  readonly files: SampleFiles
  readonly jobs: OwnJobs
  /** Returns the path of an output folder that doesn't exist yet. */
  readonly newFolder: () => string
  /** The temporary folder of these checks, which holds everything that they may read or delete. */
  readonly folder: string
  /** Whether a check may fill the queue. The service then refuses other clients for a moment. */
  readonly mayFillQueue: boolean
}

export type Check = {
  readonly section: string
  /** What a service must do, as a sentence without a period. */
  readonly title: string
  /** Whether the check creates jobs. If so, it waits until no other job is in progress. */
  readonly createsJobs: boolean
  run(context: CheckContext): Promise<unknown>
}

export const check = (section: string, title: string, run: Check['run']): Check => ({
  section,
  title,
  createsJobs: false,
  run,
})

export const jobCheck = (section: string, title: string, run: Check['run']): Check => ({
  ...check(section, title, run),
  createsJobs: true,
})

/** Returns the body of a job with one photo and a new output folder. */
export const photoJob = ({ files, newFolder }: Pick<CheckContext, 'files' | 'newFolder'>) => ({
  filePath: files.photo,
  outputFolder: newFolder(),
})

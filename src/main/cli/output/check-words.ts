import type { EventOf } from './event.ts'

export function checkLine({ outcome, title, section, detail }: EventOf<'check'>): string {
  const what = `${title} (section ${section})`
  if (outcome === 'passed') return `passes: ${what}.`
  return outcome === 'failed' ? `fails: ${what}: ${detail}.` : `not checked: ${what}. ${detail}`
}

export const checkedLines = ({
  passed,
  failed,
  notChecked,
  leftJobs,
}: EventOf<'checked'>): readonly string[] => [
  `${passed + failed + notChecked} checks: ${passed} passed, ${failed} failed, ${notChecked} not checked.`,
  ...leftJobs.map(
    (jobId) => `Couldn’t cancel the job ${jobId.slice(0, 100)}, which may still be in progress.`,
  ),
]

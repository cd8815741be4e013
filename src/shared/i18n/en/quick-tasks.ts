import type { Catalogue } from '../translate.ts'

/** What the jump list, the dock menu and the launcher's actions offer. */
export const quickTasks = {
  'task.newJob': 'New job',
  'task.newJobHint': 'Choose photos or videos to process',
  'task.pasteImage': 'Paste image',
  'task.pasteImageHint': 'Process the picture in the clipboard',
} as const satisfies Catalogue

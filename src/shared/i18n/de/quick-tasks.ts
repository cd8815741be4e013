import type { Message } from '../translate.ts'
import type { quickTasks as en } from '../en/quick-tasks.ts'

export const quickTasks: Readonly<Record<keyof typeof en, Message>> = {
  'task.newJob': 'Neuer Auftrag',
  'task.newJobHint': 'Fotos oder Videos zum Verarbeiten wählen',
  'task.pasteImage': 'Bild einfügen',
  'task.pasteImageHint': 'Das Bild in der Zwischenablage verarbeiten',
}

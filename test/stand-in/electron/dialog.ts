/** `dialog`: each dialog stays open until the test answers it. An answer given in advance is used immediately. */
import type * as Electron from 'electron'
import type { Argument, RecordedDialog } from '../recorded.ts'
import { lacking } from './lacking.ts'

type Answer = Argument<'answerDialog'>
type Kind = RecordedDialog['kind']

export function createDialogs(
  onChange: (dialogs: readonly RecordedDialog[]) => void,
  platform: () => string,
) {
  const dialogs: RecordedDialog[] = []
  const open = new Map<number, (answer: Answer) => void>()
  const beforehand: Answer[] = []

  const show = (kind: Kind, args: readonly unknown[]) =>
    new Promise<Answer>((resolve) => {
      const options = args.at(-1)
      const [parent] = args.length > 1 ? args : []
      const number = dialogs.length
      dialogs.push({
        number,
        kind,
        options: describe(options),
        parent: isWindow(parent) ? parent.id : null,
        answered: false,
      })
      // A macOS sheet on a hidden window is invisible and never closes.
      if (platform() === 'darwin' && isWindow(parent) && !parent.isVisible()) return onChange([...dialogs])
      open.set(number, (answer) => {
        const dialog = dialogs[number]
        if (dialog !== undefined) dialogs[number] = { ...dialog, answered: true }
        open.delete(number)
        onChange([...dialogs])
        resolve(answer)
      })
      const index = beforehand.findIndex((answer) => answer.kind === kind)
      const [known] = index === -1 ? [] : beforehand.splice(index, 1)
      if (known !== undefined) open.get(number)?.(known)
      else onChange([...dialogs])
    })

  const dialog = lacking('dialog', {
    async showOpenDialog(...args: unknown[]): Promise<Electron.OpenDialogReturnValue> {
      const { paths } = await show('open', args)
      return { canceled: paths === undefined, filePaths: [...(paths ?? [])] }
    },
    async showSaveDialog(...args: unknown[]): Promise<Electron.SaveDialogReturnValue> {
      const { paths } = await show('save', args)
      return { canceled: paths === undefined, filePath: paths?.[0] ?? '' }
    },
    async showMessageBox(...args: unknown[]): Promise<Electron.MessageBoxReturnValue> {
      const { response } = await show('message', args)
      return { response: response ?? 0, checkboxChecked: false }
    },
    showErrorBox(title: string, content: string) {
      dialogs.push({
        number: dialogs.length,
        kind: 'error',
        options: { title, content },
        parent: null,
        answered: true,
      })
      onChange([...dialogs])
    },
  } satisfies Pick<
    typeof Electron.dialog,
    'showOpenDialog' | 'showSaveDialog' | 'showMessageBox' | 'showErrorBox'
  >)

  return {
    dialog,
    answer(answer: Answer) {
      const waiting = dialogs.find((entry) => entry.kind === answer.kind && !entry.answered)
      if (waiting === undefined) beforehand.push(answer)
      else if (open.has(waiting.number)) open.get(waiting.number)?.(answer)
      else throw new Error("The dialog's window is hidden, so no one can answer it")
    },
  }
}

const isWindow = (value: unknown): value is Pick<Electron.BrowserWindow, 'id' | 'isVisible'> =>
  typeof value === 'object' && value !== null && 'isVisible' in value

const describe = (options: unknown): Readonly<{ [key: string]: unknown }> =>
  typeof options === 'object' && options !== null
    ? Object.fromEntries(
        Object.entries(options).filter(([, value]) => typeof value !== 'object' || Array.isArray(value)),
      )
    : {}
